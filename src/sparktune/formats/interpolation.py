"""Variables in the values of a compose file: ``$NAME``, ``${NAME:-default}``, one in the other, and ``$$``.

Source: the compose specification, interpolation. ``:-`` and ``-`` give a default where the variable is unset (with the
colon: or empty), ``:+`` and ``+`` a replacement where it is not, ``:?`` and ``?`` an error. The part behind them may
have variables again.
"""

__all__ = ["Reference", "filled", "references"]

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_HOW = re.compile(r":?[-+?]")
_BRACE = re.compile(r"[{}]")
_DEEPEST = 50  # far above any file; what is nested deeper stays as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A variable that a text uses: ``start`` to ``end`` of it.

    ``how`` is "" for a plain one, else one of ``:-``, ``-``, ``:+``, ``+``, ``:?``, ``?`` with ``other`` behind it, as
    it is written.
    """

    name: str
    start: int
    end: int
    how: str = ""
    other: str = ""


def references(text: str) -> tuple[Reference, ...]:
    """Return the variables that a text uses, without those inside the default of another."""
    return tuple(one for one in _parts(text) if isinstance(one, Reference))


def filled(text: str, variables: Mapping[str, str]) -> str:
    """Return the text as compose makes it; a variable without value and default is empty, one that must be set too."""
    return _filled(text, variables, 0)


def _filled(text: str, variables: Mapping[str, str], depth: int) -> str:
    if "$" not in text or depth > _DEEPEST:
        return text
    return "".join(one if isinstance(one, str) else _value(one, variables, depth) for one in _parts(text))


def _value(one: Reference, variables: Mapping[str, str], depth: int) -> str:
    known = variables.get(one.name)
    given = known is not None and (bool(known) or not one.how.startswith(":"))
    if one.how.endswith("+"):
        return _filled(one.other, variables, depth + 1) if given else ""
    if given:
        return known or ""
    return _filled(one.other, variables, depth + 1) if one.how.endswith("-") else ""


def _parts(text: str) -> Iterator[str | Reference]:
    closings = _closings(text)
    done = place = 0
    while (place := text.find("$", place)) >= 0:
        if text.startswith("$$", place):
            yield text[done : place + 1]
            done = place = place + 2
            continue
        found = _reference(text, place, closings)
        if found is None:
            place += 1
            continue
        yield text[done:place]
        yield found
        done = place = found.end
    yield text[done:]


def _reference(text: str, dollar: int, closings: Mapping[int, int]) -> Reference | None:
    braced = text.startswith("{", dollar + 1)
    name = _NAME.match(text, dollar + 1 + braced)
    if name is None:
        return None
    if not braced:
        return Reference(name=name[0], start=dollar, end=name.end())
    close = closings.get(dollar + 1)
    if close is None:
        return None
    how = _HOW.match(text, name.end(), close)
    behind = how.end() if how else name.end()
    if how is None and behind != close:
        return None
    return Reference(
        name=name[0], start=dollar, end=close + 1, how=how[0] if how else "", other=text[behind:close] if how else ""
    )


def _closings(text: str) -> dict[int, int]:
    """Return by the place of each brace where it is closed, of all in one go; those of JSON in a default count, too."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for one in _BRACE.finditer(text):
        if one[0] == "{":
            opened.append(one.start())
        elif opened:
            found[opened.pop()] = one.start()
    return found
