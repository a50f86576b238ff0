"""A recipe's serve command as sparkrun renders it, byte for byte, with the place in the file of every character.

Source: sparkrun 0.4.2, ``core/recipe.py`` and ``utils/text.py`` (braces that belong to no ``{key}`` are literal, a
template with ``{{`` collapses doubled ones, values are filled in again and again, at most ten times, a backslash with
blanks behind it is repaired), ``runtimes/`` (what is appended). sparkrun 0.2.40 fills in with vpd 0.9.13 alone: there a
brace opens a placeholder that ends at the next closing one, so that ``'{{"a":{key}}}'`` comes out as it went in.

What has no value stays as it is written, without an error or a warning: ``{model}`` is known, ``{host}`` and ``{port}``
are only where the defaults have them.
"""

__all__ = ["CURRENT", "OLD", "Rendered", "rendered"]

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sparktune.deploy.settings.recipe import Default, Recipe, placed
from sparktune.deploy.settings.recipe_built import built, split_mode
from sparktune.formats.located import Located
from sparktune.formats.pieces import cut, joined

CURRENT: Final = "0.4.2"
OLD: Final = "0.2.40"

_PLACEHOLDER = re.compile(r"\{(.*?)\}")
_SPAN = re.compile(r"\{[^{}]*\}")
_LEFT = re.compile(r"\{([A-Za-z_][\w-]*)\}", re.ASCII)
_OPEN, _CLOSE = "\x00", "\x01"
_MOST_PASSES = 10
_LONGEST = 200_000  # characters; a command line of more than 128 KiB in one word is refused by the kernel
_BLANK_CONTINUATION = {CURRENT: re.compile(r"\\[ \t]+\n"), OLD: re.compile(r"\\ +\n")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """``text`` is what sparkrun runs; ``located`` the same with its places.

    ``unresolved`` are placeholders that are left in it, ``unused`` defaults that its text has nothing of, ``built``:
    there is no template, so the runtime writes the command.
    """

    located: Located
    unresolved: tuple[str, ...]
    unused: tuple[str, ...]
    built: bool

    @property
    def text(self) -> str:
        """The command."""
        return self.located.text


def rendered(recipe: Recipe, *, version: str = CURRENT) -> Rendered:
    """Return the command of a recipe. ``version`` is that of sparkrun, CURRENT or OLD."""
    values = _values(recipe, version)
    used: set[str] = set()
    if recipe.command is None:
        found = built(recipe, values, used)
    else:
        template = _stripped(recipe.command)
        found = _filled(template, values, used) if version == OLD else _masked(template, values, used)
        found = _repaired(found, _BLANK_CONTINUATION[version])
    found = _completed(found, recipe, values, used, version)
    return Rendered(
        located=found,
        unresolved=tuple(dict.fromkeys(_LEFT.findall(found.text))),
        unused=tuple(name for name in recipe.defaults if name not in used),
        built=recipe.command is None,
    )


def _values(recipe: Recipe, version: str) -> Mapping[str, Default]:
    found = dict(recipe.defaults)
    if version == CURRENT:
        found = {name: _collapsed(value) for name, value in found.items()}
    found.setdefault("model", recipe.model)
    if version == CURRENT:
        if recipe.revision is not None:
            found.setdefault("model_revision", recipe.revision)
        found.setdefault("resolved_model_path", recipe.model)
    return found


def _collapsed(default: Default) -> Default:
    """Undo doubled braces in a value that is written with them."""
    if not isinstance(default.value, str) or "{{" not in default.value:
        return default
    located = _substituted(default.located, re.compile(r"(\{)\{"), lambda found, source: cut(source, *found.span(1)))
    located = _substituted(located, re.compile(r"(\})\}"), lambda found, source: cut(source, *found.span(1)))
    return Default(value=located.text, located=located)


def _stripped(source: Located) -> Located:
    text = source.text
    start = len(text) - len(text.lstrip())
    return cut(source, start, max(start, len(text.rstrip())))


def _masked(template: Located, values: Mapping[str, Default], used: set[str]) -> Located:
    """Fill in with literal braces out of sight."""
    escapes = "{{" in template.text
    pieces: list[Located] = []
    at = 0
    while at < len(template.text):
        letter = template.text[at]
        step = 1
        piece = cut(template, at, at + 1)
        span = _SPAN.match(template.text, at) if letter == "{" else None
        if letter in "{}" and template.text.startswith(letter * 2, at):
            step = 2
            sign = _OPEN if letter == "{" else _CLOSE
            piece = replace(piece, text=sign) if escapes else replace(cut(template, at, at + 2), text=sign * 2)
        elif span is not None:
            step = len(span[0])
            piece = cut(template, at, at + step)
        elif letter in "{}":
            piece = replace(piece, text=_OPEN if letter == "{" else _CLOSE)
        pieces.append(piece)
        at += step
    found = _filled(joined(pieces, template), values, used)
    return replace(found, text=found.text.replace(_OPEN, "{").replace(_CLOSE, "}"))


def _filled(source: Located, values: Mapping[str, Default], used: set[str]) -> Located:
    def value(found: re.Match[str], text: Located) -> Located:
        name = found[0].strip("}{")
        default = values.get(name)
        if default is None or default.value is None:
            return cut(text, *found.span())
        used.add(name)
        return default.located

    for _ in range(_MOST_PASSES):
        if _size(source.text, values) > _LONGEST:
            break
        filled = _substituted(source, _PLACEHOLDER, value)
        if filled.text == source.text:
            break
        source = filled
    return source


def _size(text: str, values: Mapping[str, Default]) -> int:
    """Return how long a text would be at most: a value that holds others may grow with every pass."""
    names = (found[0].strip("}{") for found in _PLACEHOLDER.finditer(text))
    return len(text) + sum(len(values[name].located.text) for name in names if name in values)


def _substituted(source: Located, pattern: re.Pattern[str], value: Any) -> Located:  # noqa: ANN401 - a function
    pieces: list[Located] = []
    at = 0
    for found in pattern.finditer(source.text):
        pieces += [cut(source, at, found.start()), value(found, source)]
        at = found.end()
    return joined([*pieces, cut(source, at, len(source.text))], source)


def _repaired(source: Located, pattern: re.Pattern[str]) -> Located:
    def without_blanks(found: re.Match[str], text: Located) -> Located:
        start, end = found.span()
        return joined([cut(text, start, start + 1), cut(text, end - 1, end)], text)

    return _substituted(source, pattern, without_blanks)


def _completed(source: Located, recipe: Recipe, values: Mapping[str, Default], used: set[str], version: str) -> Located:
    """Add what the runtime puts behind a command of its own accord."""
    vllm = recipe.runtime.startswith("vllm")
    if vllm and version == CURRENT and recipe.command is not None:
        backend = values.get("distributed_executor_backend")
        if backend is not None and backend.value is not None:
            used.add("distributed_executor_backend")
            source = _forced(source, "--distributed-executor-backend", backend)
    if recipe.runtime == "llama-cpp" and recipe.command is not None and (mode := split_mode(values, used)):
        source = _stripped(_substituted(source, _SPLIT, lambda found, text: cut(text, found.start(), found.start())))
        source = _appended(source, "--split-mode", placed(mode, source.before), version)
    name = values.get("served_model_name")
    if (name is None or name.value is None) and vllm and version == CURRENT:
        name = recipe.model
    if name is None or name.value is None or recipe.runtime not in _NAME_FLAGS or (recipe.command is None and not vllm):
        return source
    used.add("served_model_name")
    flag = _NAME_FLAGS[recipe.runtime]
    return source if _has(source.text, flag) else _appended(source, flag, name.located, version)


_NAME_FLAGS = {
    "vllm-distributed": "--served-model-name",
    "vllm-ray": "--served-model-name",
    "eugr-vllm": "--served-model-name",
    "sglang": "--served-model-name",
    "llama-cpp": "--alias",
}


_SPLIT = re.compile(r"(?<!\S)--split-mode(?:=|\s+)\S+")


def _has(text: str, flag: str) -> bool:
    return re.search(rf"(?<!\S){re.escape(flag)}(?=[=\s]|$)", text) is not None


def _forced(source: Located, flag: str, default: Default) -> Located:
    """Give a flag another value where it is, or append it."""
    pattern = re.compile(rf"(?<!\S){re.escape(flag)}(?:=|\s+(?:\\\n\s*)?)(\S+)")
    found = pattern.search(source.text) if _has(source.text, flag) else None
    if found is None:
        return source if _has(source.text, flag) else _appended(source, flag, default.located)
    before, after = cut(source, 0, found.start(1)), cut(source, found.end(1), len(source.text))
    return joined([before, default.located, after], source)


def _appended(source: Located, flag: str, value: Located, version: str = CURRENT) -> Located:
    kept = _without_dangling(source.text) if version == CURRENT else source.text
    return joined([cut(source, 0, len(kept)), placed(f" {flag} ", value.before), value], source)


def _without_dangling(command: str) -> str:
    """Take a last backslash off, which would make one word of what follows."""
    command = command.rstrip()
    while (len(command) - len(command.rstrip("\\"))) % 2:
        command = command[:-1].rstrip()
    return command
