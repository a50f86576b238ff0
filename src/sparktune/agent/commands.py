"""Run the read-only commands that the node's own list names: bounded in time and in output, never through a shell."""

__all__ = ["Commands"]

import time
from typing import Any

from sparktune.agent.allowed import is_allowed
from sparktune.agent.files import read_file
from sparktune.agent.protocol import LONGEST_COMMAND_S, MOST_READ_CHARACTERS, command_slug
from sparktune.agent.results import Result, absent, unreadable
from sparktune.agent.running import finished, run_program
from sparktune.agent.tree import Tree

_REFUSED = "it is not among the commands that may be run"


class Commands:
    """Commands of a node, or the kept output of a captured tree."""

    def __init__(self, tree: Tree) -> None:
        """Take the tree; its root decides which of the two it is."""
        self._tree = tree

    def run(self, ask: dict[str, Any]) -> Result:
        """Answer ``argv`` within ``limit_s`` and ``most_bytes``, with the words that ``arguments_from`` prints."""
        argv, source = [str(word) for word in ask["argv"]], [str(word) for word in ask["arguments_from"]]
        most_bytes = min(int(ask["most_bytes"]), MOST_READ_CHARACTERS)
        if self._tree.root:
            return _kept(self._tree, argv, most_bytes) if is_allowed(argv) else unreadable(_REFUSED)
        ends = time.monotonic() + min(float(ask["limit_s"]), LONGEST_COMMAND_S)
        if not source:
            return _run(argv, ends, most_bytes)
        words = _run(source, ends, most_bytes)
        if words["state"] != "present" or words["value"]["code"] != 0:
            return words
        more = words["value"]["stdout"].split()
        if any(word.startswith("-") for word in more):
            return unreadable(_REFUSED)  # an option that nobody asked for
        return _run([*argv, *more], ends, most_bytes) if more else finished("", "", 0)


def _kept(tree: Tree, argv: list[str], most_bytes: int) -> Result:
    slug = command_slug(argv)
    parts = {
        ending: read_file(tree, {"path": f"/commands/{slug}.{ending}", "most_bytes": most_bytes})
        for ending in ("txt", "stderr", "code")
    }
    if parts["txt"]["state"] == "absent" and parts["code"]["state"] == "absent":
        return absent()
    for part in parts.values():
        if part["state"] == "unreadable":
            return part
    texts = {ending: str(part.get("value", "")) for ending, part in parts.items()}
    try:
        code = int(texts["code"].strip() or "0")
    except ValueError:
        return unreadable(f"/commands/{slug}.code holds no number")
    return finished(texts["txt"], texts["stderr"], code)


def _run(argv: list[str], ends: float, most_bytes: int) -> Result:
    return run_program(argv, ends, most_bytes) if is_allowed(argv) else unreadable(_REFUSED)
