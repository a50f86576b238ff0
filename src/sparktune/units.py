"""Units as types, and the only place that rounds, scales or adds a unit to a number.

Inside the program values are SI: seconds, bytes, degrees Celsius, watts; instants are integer nanoseconds of
``CLOCK_MONOTONIC`` unless a name says ``wall``. Milliseconds, MiB and percent exist only in what is printed.
"""

__all__ = [
    "NS_PER_S",
    "Bytes",
    "Celsius",
    "Hertz",
    "Nanoseconds",
    "Ratio",
    "Seconds",
    "Tokens",
    "TokensPerSecond",
    "Watts",
    "count_of",
    "format_bytes",
    "format_chance",
    "format_count",
    "format_duration",
    "format_percent",
    "format_rate",
    "format_seconds",
    "seconds_between",
    "whole_count",
    "whole_number",
]

Seconds = float
Nanoseconds = int
Bytes = int
Celsius = float
Hertz = float
Watts = float
Tokens = int
TokensPerSecond = float
Ratio = float

NS_PER_S = 1_000_000_000
_KIB = 1024
_EXACT = 2**53  # above that a float leaves whole numbers out
_MINUTE_S = 60
_HOUR_S = 3600
# below this size: multiply by, decimals, unit
_SECOND_STEPS = (
    (0.001, 1e6, 0, "us"),
    (0.01, 1e3, 2, "ms"),
    (1.0, 1e3, 1, "ms"),
    (10.0, 1.0, 3, "s"),
    (100.0, 1.0, 2, "s"),
)
_LITTLE = 0.05  # a chance below it, or above its opposite
_RATE_STEPS = ((10.0, 2), (1000.0, 1))  # below this size: decimals


def seconds_between(start_ns: Nanoseconds, end_ns: Nanoseconds) -> Seconds:
    """Return ``end - start`` in seconds; negative when the order is wrong, so that a fault stays visible."""
    return (end_ns - start_ns) / NS_PER_S


def whole_number(value: object) -> int | None:
    """Return a whole number however JSON writes it, ``64`` or ``64.0``; None for all else, also for true and false."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def whole_count(value: object) -> int | None:
    """Return a whole number from 0 on; None for what is none, as -1 for "not known"."""
    number = whole_number(value)
    return number if number is not None and number >= 0 else None


def format_seconds(value: Seconds) -> str:
    """Render an interval for a person: microseconds below 1 ms, milliseconds below 1 s, else seconds."""
    size = abs(value)
    for limit, scale, digits, unit in _SECOND_STEPS:
        if size < limit:
            return f"{value * scale:.{digits}f} {unit}"
    return f"{value:.1f} s"


def format_duration(value: Seconds) -> str:
    """Render a waiting time: ``42 s``, ``3 min 05 s``, ``2 h 10 min``."""
    whole = round(max(0.0, value))
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S} min {whole % _MINUTE_S:02d} s"
    return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S:02d} min"


def format_rate(value: TokensPerSecond) -> str:
    """Render tokens per second with about three significant digits and no unit (the column carries it)."""
    size = abs(value)
    digits = next((digits for limit, digits in _RATE_STEPS if size < limit), 0)
    return f"{value:,.{digits}f}"


def format_bytes(value: Bytes) -> str:
    """Render bytes in binary units: ``512 B``, ``1.5 KiB``, ``3.0 GiB``."""
    size = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < _KIB:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= _KIB
    return f"{size:.1f} TiB"


def format_percent(value: Ratio, *, signed: bool = False, digits: int = 1) -> str:
    """Render a ratio as percent: ``0.0251`` -> ``2.5 %``; ``signed`` adds the plus sign."""
    return f"{value * 100:{'+' if signed else ''}.{digits}f} %"


def format_chance(value: Ratio) -> str:
    """Render a chance that is a guess itself to the next tenth: ``0.583`` -> ``about 60 %``, 0.02 -> ``below 5 %``."""
    if value < _LITTLE:
        return "below 5 %"
    return "above 95 %" if value > 1 - _LITTLE else f"about {max(1, min(9, round(value * 10))) * 10} %"


def format_count(value: int) -> str:
    """Render a whole number with thousands separators."""
    return f"{value:,}"


def count_of(number: int, noun: str) -> str:
    """Render a number of things: ``1 cell``, ``3 cells``, ``1,200 cells``; the plural is the noun with an s."""
    return f"{format_count(number)} {noun}{'' if number == 1 else 's'}"
