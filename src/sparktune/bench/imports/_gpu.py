"""Samples of a GPU that lie beside results: what its clock did while it worked.

Source: ``nvidia-smi --query-gpu=timestamp,clocks.sm,utilization.gpu --format=csv`` (headers carry the unit in brackets,
values too; what the driver does not tell is ``[N/A]`` or ``Not Supported``), and lines ``NAME: VALUE`` of such names.
"""

__all__ = ["facts_of_samples", "is_samples"]

import csv
import re
from collections.abc import Mapping
from statistics import median

from sparktune.bench.imports._shared import number

_WORKING = 50.0  # percent of utilization from which a sample counts as under load
_NUMBER = re.compile(r"^\s*(-?\d{1,12}(?:\.\d{1,6})?)\s*(?:[%a-zA-Z/]*)\s*$")


def is_samples(data: bytes) -> bool:
    """Tell whether a file holds samples of a GPU."""
    head = data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0][:400]
    return b"clocks." in head and b"," in head


def facts_of_samples(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return what the samples tell, as facts by name; those that they do not tell are not there."""
    facts: dict[str, str] = {}
    for data in files.values():
        text = data.decode("utf-8-sig", "replace")
        if is_samples(data):
            facts |= _of_samples(text)
        elif "clocks_event_reasons" in text[:2000] or "pstate" in text[:2000]:
            facts |= _of_lines(text)
    return facts


def _of_samples(text: str) -> dict[str, str]:
    rows = list(csv.reader(text.splitlines(), skipinitialspace=True))
    heads = [head.partition("[")[0].strip() for head in rows[0]]
    columns = {head: [_plain(row[place]) for row in rows[1:] if place < len(row)] for place, head in enumerate(heads)}
    clocks = columns.get("clocks.sm") or columns.get("clocks.current.sm") or columns.get("clocks.gr") or []
    use = columns.get("utilization.gpu") or []
    known = [(clock, load) for clock, load in zip(clocks, use, strict=False) if clock is not None and load is not None]
    loaded = [clock for clock, load in known if load >= _WORKING]
    idle = [clock for clock, load in known if load < _WORKING]
    facts = {"gpu_samples": str(len(rows) - 1), "gpu_samples_loaded": str(len(loaded))}
    facts |= {"gpu_clock_load_mhz": f"{median(loaded):g}"} if loaded else {}
    facts |= {"gpu_clock_idle_mhz": f"{median(idle):g}"} if idle else {}
    temperatures = [value for value in columns.get("temperature.gpu", []) if value is not None]
    return facts | ({"gpu_temperature_max_c": f"{max(temperatures):g}"} if temperatures else {})


def _of_lines(text: str) -> dict[str, str]:
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines()[:50])}
    names = {
        "gpu_throttle_reasons": found.get("clocks_event_reasons.active"),
        "gpu_pstate": found.get("pstate"),
        "gpu_temperature_c": found.get("temperature.gpu"),
    }
    return {name: value[:60] for name, value in names.items() if value}


def _plain(cell: str) -> float | None:
    found = _NUMBER.match(cell)
    return number(float(found[1])) if found else None
