"""What the sensors of nodes said at a visit: their units, and words for one reading."""

__all__ = ["AT_END", "LANES", "sensor_words"]

from collections.abc import Mapping
from typing import Final

LANES: Final[Mapping[str, tuple[str, float]]] = {
    "temperature_c": ("°C", 1.0),
    "mem_available_bytes": ("GiB free", 2.0**-30),
    "clock_hz": ("MHz", 1e-6),
}
"""By the end of a sensor's name: the unit in which it is shown, and what it is multiplied by for that."""

AT_END: Final = "@end"
"""What is read again after the trials has the same name and this."""


def sensor_words(name: str, value: float) -> str:
    """Render ``spark1 mem_available_bytes@end`` as ``spark1 60.6 GiB free at the end``; others as they are."""
    sensor = name.removesuffix(AT_END)
    node, _, what = sensor.rpartition(" ")
    suffix = next((suffix for suffix in LANES if what.endswith(suffix)), "")
    unit, factor = LANES.get(suffix, (what, 1.0))
    when = " at the end" if name.endswith(AT_END) else ""
    return f"{node} {value * factor:,.4g} {unit}{when}".strip()
