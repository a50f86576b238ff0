"""``place`` for people and for scripts: the verdict first, then each thread, then the next step. Pure."""

__all__ = [
    "PinView",
    "PlacedView",
    "ScanView",
    "pin_json",
    "pin_text",
    "place_status_json",
    "place_status_text",
    "scan_json",
    "scan_text",
]

from sparktune.report.place.pin import PinView, pin_json, pin_text
from sparktune.report.place.scan import ScanView, scan_json, scan_text
from sparktune.report.place.status import PlacedView, place_status_json, place_status_text
