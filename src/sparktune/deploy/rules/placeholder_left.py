"""Placeholders that reach the server as they are written."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator
from ipaddress import ip_address

from sparktune.deploy.rules._shared import Found, at, every_part, lint_rule
from sparktune.deploy.settings.recipe import read_recipe
from sparktune.deploy.settings.recipe_render import rendered
from sparktune.deploy.variable_groups import groups
from sparktune.formats.interpolation import references
from sparktune.model.document import Document
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_OFTEN_GIVEN = ("host", "port")
_ADDRESS = re.compile(r"(?:\w+_)?(?:HOST_IP|NODE_IP|MASTER_ADDR|HEAD_IP|WORKER_IP)")
_TO_BE_FILLED = re.compile(
    r"<[^<>\s]+>|CHANGE[-_]?ME|change[-_]?me|(?:your|YOUR)[-_][\w-]+|x{3,}|X{3,}|TODO|enp[A-Z]s\w+"
)
_HOST_NAME = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)


def _judge(view: LintView) -> Iterator[Found]:
    for part in view.parts:
        if part.document.format == "recipe":
            yield from _recipe(part)
    yield from _unfilled(view)
    yield from _addresses(view)


def _recipe(part: Part) -> Iterator[Found]:
    recipe = read_recipe(part.document.text)
    for name in rendered(recipe).unresolved if recipe is not None else ():
        written = f"{{{name}}}"
        words = part.command.words if part.command is not None else ()
        lines = (word.line for word in words if written in word.text)
        often = name in _OFTEN_GIVEN
        yield Found(
            severity=Severity.WARNING if often else Severity.ERROR,
            evidence=f"the command still has {written} when sparkrun starts it: the defaults have no {name}, and "
            "sparkrun recipe validate says nothing of that",
            hint=f"add {name}: to the defaults" + (f", or start it with -o {name}=..." if often else ""),
            file=part.document.name,
            line=next(lines, _key_line(part.document, "command")),
        )


def _key_line(document: Document, name: str) -> int:
    return next((one.line for one in document.entries if one.kind == "key" and one.name == name), 0)


def _unfilled(view: LintView) -> Iterator[Found]:
    """Yield variables of compose that no file gives, where a file of variables is there to be asked."""
    if not any(one.format == "env" for one in view.documents):
        return
    for part in every_part(view, "compose"):
        told: set[str] = set()
        for entry in part.document.entries:
            if entry.part != part.name or (entry.kind == "key" and entry.name in {"command", "entrypoint"}):
                continue
            for one in references(entry.text or ""):
                if one.how or one.name in view.variables or one.name in told:
                    continue
                told.add(one.name)
                yield Found(
                    severity=Severity.WARNING,
                    evidence=f"{entry.name} uses ${{{one.name}}}, which no file of variables that was given has: it "
                    "is filled in with nothing",
                    hint=f"set {one.name} in .env, or give it a default: ${{{one.name}:-...}}",
                    file=part.document.name,
                    line=entry.line,
                )


def _addresses(view: LintView) -> Iterator[Found]:
    for group in groups(view):
        for name, setting in group.variables.items():
            value = str(setting.value or "")
            if value and (_TO_BE_FILLED.fullmatch(value) or (_ADDRESS.fullmatch(name) and not _is_address(value))):
                yield at(
                    setting,
                    Severity.ERROR,
                    f"{name}={value} looks like a text that was to be replaced",
                    "write the address of the fabric on that node (sparktune render --node NODE tells it)"
                    if _ADDRESS.fullmatch(name)
                    else "write the value that is meant",
                )


def _is_address(value: str) -> bool:
    if value == "localhost" or "$" in value or _HOST_NAME.fullmatch(value):
        return True
    try:
        ip_address(value)
    except ValueError:
        return "_" not in value and "-" not in value and value.isalnum()
    return True


RULE = lint_rule(
    "placeholder-left",
    title="a placeholder that nothing fills in",
    why="sparkrun leaves what it has no value for as it stands, without a word: a server is started with the text "
    "{host} as its address, for instance. A text that was to be replaced gets there in the same way.",
    source="sparkrun 0.4.2, core/recipe.py (validated and rendered with that version); "
    "https://github.com/spark-arena/sparkrun/issues/154; the compose specification, interpolation",
    judge=_judge,
)
