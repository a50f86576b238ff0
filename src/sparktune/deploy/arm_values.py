"""Single values of an arm's settings, as people write them."""

__all__ = ["number_of", "text_of"]

from typing import Final

_MOST: Final = 1e15  # whoever writes more, also an integer that no float holds, means something else


def text_of(value: object, where: str) -> str:
    """Return a text; numbers and truth values as JSON has them. Raises ValueError for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        text = str(value)
        if "\0" not in text:
            return text
    message = f"{where}: a text or a number is wanted, not {value!r}"
    raise ValueError(message)


def number_of(value: object, where: str) -> float:
    """Return a number above 0. Raises ValueError."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST:
        return float(value)
    message = f"{where}: a number above 0 is wanted, not {value!r}"
    raise ValueError(message)
