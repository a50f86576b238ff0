"""What somebody wrote after ``--knob NAME=``: a list, a range, a range with a step -> the values one by one.

``2..5`` are whole numbers, ``2..16/2`` every second one, ``2048..16384x2`` doubles, ``0.70..0.85/0.05`` is in steps.
Ranges and single values are joined with commas; a value that has commas itself is written between semicolons, one alone
with a semicolon after it. Neither of both divides what stands in brackets or in double quotes, as JSON has them.
"""

__all__ = ["divided", "magnitude", "range_values", "same_value"]

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

from sparktune.errors import UsageError

_MOST_VALUES: Final = 32
"""More values of one knob than this are not a search: each of them is a start of the engine."""

_SHOWN: Final = 40
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_RANGE: Final = re.compile(rf"(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER})(?:(?P<how>[/x])(?P<step>{_NUMBER}))?")
_SIZE: Final = re.compile(rf"(?P<number>{_NUMBER})(?P<suffix>[kKmMgGtT])?")
_WHOLE: Final = re.compile(r"\d+")
# As vLLM reads them: a small letter is decimal, a large one is binary.
_SUFFIXES: Final = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_EXAMPLE: Final = "for instance 2..5, 2..16/2 (in steps), 2048..16384x2 (doubling), or 1,2,4"


def range_values(text: str, name: str) -> tuple[str, ...]:
    """Return the values that a text names, in its order. Raises UsageError, with the knob's ``name`` in its words."""
    if not text.isprintable():
        message = f"--knob {name}: a value is one line of printable characters, not {_shown(text)!r}"
        raise UsageError(message, hint=_EXAMPLE)
    found: list[str] = []
    for piece in (one.strip() for one in _pieces(text)):
        if not piece:
            message = f"--knob {name}: an empty value in {text!r}"
            raise UsageError(message, hint=_EXAMPLE)
        for value in _values(piece, name):
            if any(same_value(value, other) for other in found):
                message = f"--knob {name}: {value!r} is there twice"
                raise UsageError(message, hint="each value is tried as often as it has to be; name it once")
            found.append(value)
            if len(found) > _MOST_VALUES:
                message = f"--knob {name}: {_shown(text)!r} are more than {_MOST_VALUES} values"
                raise UsageError(message, hint="each is a start of the engine; take larger steps, like 2..64x2")
    return tuple(found)


def divided(text: str, sign: str) -> list[str]:
    """Return the parts of a text between signs that stand in no bracket and in no double quotes."""
    parts, depth, quoted, before = [""], 0, False, ""
    for letter in text:
        quoted ^= letter == '"' and before != "\\"
        depth += 0 if quoted else (letter in "{[") - (letter in "}]")
        if letter == sign and depth <= 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
        before = letter
    return parts if depth <= 0 and not quoted else text.split(sign)  # never closed: these are no brackets of JSON


def magnitude(text: str) -> float | None:
    """Return how large a value is: a number with or without a suffix, of a list its largest; None for other texts.

    A negative number is how engines write "without a limit".
    """
    match = _SIZE.fullmatch(text.strip())
    if match is not None:
        number = float(match["number"]) * _SUFFIXES.get(match["suffix"] or "", 1)
        return float("inf") if number < 0 else number
    parts = text.strip().strip("[]").replace(",", " ").split()
    return max(map(float, parts)) if parts and all(_WHOLE.fullmatch(part) for part in parts) else None


def same_value(one: str, other: str) -> bool:
    """Tell whether two texts are one value: 4096 and 4096.0 are, and so are 2K and 2048; 4,8 and 8 are not."""
    first, second = (_SIZE.fullmatch(text.strip()) for text in (one, other))
    if first is not None and second is not None:
        return magnitude(one) == magnitude(other) and one.strip().startswith("-") == other.strip().startswith("-")
    return one.strip().casefold() == other.strip().casefold()


def _pieces(text: str) -> list[str]:
    parts = divided(text, ";")
    if len(parts) == 1:
        return divided(text, ",")
    return parts if parts[-1].strip() else parts[:-1]


def _values(piece: str, name: str) -> Iterator[str]:
    match = _RANGE.fullmatch(piece)
    if match is None:
        if ".." in piece:
            message = f"--knob {name}: {piece!r} is no range"
            raise UsageError(message, hint=_EXAMPLE)
        yield piece
        return
    low, high = _decimal(match["low"]), _decimal(match["high"])
    how, step = match["how"] or "/", _decimal(match["step"] or "1")
    whole = low == low.to_integral_value() and high == high.to_integral_value()
    if match["step"] is None and not whole:
        message = f"--knob {name}: {piece!r} does not say in which steps"
        raise UsageError(message, hint=f"for instance {piece}/0.05")
    if low >= high or step <= 0 or (how == "x" and (step <= 1 or low <= 0)):
        message = f"--knob {name}: {piece!r} does not go upwards"
        raise UsageError(message, hint=_EXAMPLE)
    value = low
    for _ in range(_MOST_VALUES + 1):
        if value > high:
            return
        yield format(value, "f")
        value = value + step if how == "/" else value * step


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}.."


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # pragma: no cover - the pattern lets numbers through and nothing else
        message = f"{text!r} is no number"
        raise UsageError(message, hint=_EXAMPLE) from None
