"""Watched nodes, engine and drift: plain lines, JSON lines, and what a screen shows of them. Pure."""

__all__ = ["Answered", "WatchedEngine", "WatchedNode", "watch_json", "watch_lines"]

from sparktune.report.watch.json import watch_json
from sparktune.report.watch.lines import watch_lines
from sparktune.report.watch.node import Answered, WatchedEngine, WatchedNode
