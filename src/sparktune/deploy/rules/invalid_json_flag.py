"""Options that want JSON and do not get any, with the sparkrun that is current or with an older one."""

__all__ = ["RULE"]

import json
import re
from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.deploy.settings.recipe import read_recipe
from sparktune.deploy.settings.recipe_render import OLD, rendered
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_FLAG = re.compile(r"--(?P<name>[a-z][a-z0-9-]*)[=\s]+'(?P<value>\{[^']*\})'", re.ASCII)


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    broken: set[str] = set()
    for key, setting in part.settings.items():
        value = setting.value
        if key.startswith(("key.", "env.")) or not isinstance(value, str) or not value.startswith(("{", "[")):
            continue
        if re.fullmatch(r"\{[A-Za-z_][\w-]*\}", value) or _is_json(value):
            continue
        broken.add(key)
        yield at(
            setting,
            Severity.ERROR,
            f"{key} begins like JSON and is none: {value[:80]}",
            "quote it as one word, with double quotes inside: '{\"name\": 1}'",
        )
    yield from _with_old(part, broken)


def _with_old(part: Part, broken: set[str]) -> Iterator[Found]:
    """Yield what sparkrun 0.2 makes invalid by leaving doubled braces, or the placeholder inside of single ones."""
    recipe = read_recipe(part.document.text) if part.document.format == "recipe" else None
    if recipe is None or recipe.command is None:
        return
    for found in _FLAG.finditer(rendered(recipe, version=OLD).text):
        name = found["name"].replace("-", "_")
        if name in broken or _is_json(found["value"]):
            continue
        setting = next((one for key, one in part.settings.items() if key.split(".")[0] == name), None)
        yield Found(
            severity=Severity.ERROR,
            evidence=f"sparkrun {OLD} starts it with --{found['name']} '{found['value'][:80]}', which is no JSON; "
            "later versions render it",
            hint=f"put the whole JSON into one default ({name}: '{{...}}') and use '{{{name}}}', which all versions "
            "render, or write the numbers out",
            file=part.document.name,
            line=setting.origin.line if setting is not None else 0,
        )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


RULE = part_rule(
    "invalid-json-flag",
    title="an option that wants JSON and gets none",
    why="The server ends at start, or takes the text for something else.",
    source="sparkrun 0.2.40 (vpd 0.9.13, arg_substitute) and 0.4.2; "
    "https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README, trap 1",
    judge=_judge,
)
