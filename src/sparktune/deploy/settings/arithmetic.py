"""``$(( SEQS * (K + 1) ))`` as a shell counts it, where all of its variables are known whole numbers.

Source: POSIX, 2.6.4; of its operators those that people compute settings with.
"""

__all__ = ["counted", "with_arithmetic"]

import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\s*(?:(\d+)|\$?\{?([A-Za-z_]\w*)\}?|(.))", re.ASCII | re.DOTALL)
_LONGEST = 200  # characters, far above what anybody writes; so is the depth of brackets in it
_MOST = 2**63


def with_arithmetic(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with what can be counted filled in; all else stays as it is written."""
    done, at = "", 0
    while (start := text.find("$((", at)) >= 0:
        end = _end(text, start + 1)
        value = counted(text[start + 3 : end - 2], variables) if end > 0 and text[end - 2 : end] == "))" else None
        done += text[at:start] + (text[start : max(end, start + 3)] if value is None else str(value))
        at = max(end, start + 3)
    return done + text[at:]


def counted(expression: str, variables: Mapping[str, str]) -> int | None:
    """Return the value of an expression, None where a variable is unknown or it is none that is understood."""
    tokens = [found for found in _TOKEN.findall(expression.strip()) if any(found)]
    if not tokens or len(expression) > _LONGEST:
        return None
    reader = _Reader(tokens, variables)
    try:
        value = reader.sum()
    except (ValueError, ZeroDivisionError, IndexError, RecursionError):
        return None
    return value if reader.at == len(tokens) and abs(value) < _MOST else None


class _Reader:
    def __init__(self, tokens: list[tuple[str, str, str]], variables: Mapping[str, str]) -> None:
        self.tokens, self.variables, self.at = tokens, variables, 0

    def sum(self) -> int:
        value = self.product()
        while (sign := self.sign()) in {"+", "-"}:
            self.at += 1
            other = self.product()
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> int:
        value = self.one()
        while (sign := self.sign()) in {"*", "/", "%"}:
            self.at += 1
            other = self.one()
            whole = abs(value) // abs(other) if sign != "*" else 0
            whole = whole if (value < 0) == (other < 0) else -whole  # a shell rounds towards zero
            value = value * other if sign == "*" else whole if sign == "/" else value - whole * other
            if abs(value) >= _MOST:
                raise ValueError
        return value

    def one(self) -> int:
        number, name, sign = self.tokens[self.at]
        self.at += 1
        if number:
            return int(number, 8 if number.startswith("0") else 10)
        if name:
            if name not in self.variables:
                raise ValueError
            return int(self.variables[name].strip() or "0")
        if sign == "-":
            return -self.one()
        if sign == "(":
            value = self.sum()
            self.at += 1
            if self.tokens[self.at - 1][2] == ")":
                return value
        raise ValueError

    def sign(self) -> str:
        return self.tokens[self.at][2] if self.at < len(self.tokens) else ""


def _end(text: str, opening: int) -> int:
    """Return the place behind the bracket that closes the one at ``opening``, -1 without."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place + 1
    return -1
