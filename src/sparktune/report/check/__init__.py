"""The judgement of a table of results as text and as JSON."""

__all__ = ["check_json", "check_text"]

from sparktune.report.check.json import check_json
from sparktune.report.check.text import check_text
