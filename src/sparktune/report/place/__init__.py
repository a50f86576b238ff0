"""``place`` for people and for scripts: the verdict first, then each thread, then the next step. Pure."""

__all__ = [
    "pin_json",
    "pin_text",
    "place_status_json",
    "place_status_text",
    "scan_json",
    "scan_text",
]

from sparktune.report.place.pin import pin_json, pin_text
from sparktune.report.place.scan import scan_json, scan_text
from sparktune.report.place.status import place_status_json, place_status_text
