"""Earned settings as text and as JSON."""

__all__ = ["history_json", "history_text", "list_json", "list_text", "show_json", "show_text"]

from sparktune.report.earned.json import history_json, list_json, show_json
from sparktune.report.earned.text import history_text, list_text, show_text
