"""``place`` for people and for scripts: the verdict first, then each thread, then the next step. Pure."""

__all__ = ["ScanView", "scan_json", "scan_text"]

from sparktune.report.place.scan import ScanView, scan_json, scan_text
