"""Transactions that a test leaves applied on this machine: what it keeps on purpose is not for the machine to keep.

A test that is root, and whose node is this machine, has its journals in the real place. They are known by their items,
which are below the test's own folder; those of other runs and of people are not touched.
"""

__all__ = ["left_applied", "names_there", "take_back"]

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from sparktune.agent.protocol import HOME

_JOURNALS = Path(HOME) / "txn"
_OVER = frozenset({"ABORT", "REVERTED", "GIVEN_UP"})


def names_there(there: Path = _JOURNALS) -> frozenset[str]:
    """Return the names of all transactions that there are; none for whoever may not look."""
    try:
        return frozenset(path.name for path in there.iterdir())
    except OSError:
        return frozenset()


def left_applied(names: Collection[str], folder: Path, there: Path = _JOURNALS) -> list[str]:
    """Return those of these that stand, all of whose items are below a folder, the newest first."""
    return [name for name in sorted(names, reverse=True) if _stands_below(there / name, folder)]


def take_back(names: Collection[str]) -> None:
    """Undo them, in this order, with the agent that the node keeps for that.

    Another run's test may be at work on the machine: the agent waits for it a moment, and is asked again.
    """
    for name in names:
        done = _reverted(name)
        while '"busy"' in done.stdout:  # never is a timeout of this test
            done = _reverted(name)
        assert done.returncode == 0, f"a test has left {name}, which cannot be taken back: {done.stdout}{done.stderr}"


def _reverted(name: str) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-I", f"{HOME}/agent.pyz", "--json", "revert", name)
    return subprocess.run(words, capture_output=True, text=True, check=False)


def _stands_below(transaction: Path, folder: Path) -> bool:
    try:
        lines = (transaction / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
    except (OSError, ValueError):
        return False  # just being written, by another run
    items = [item for one in records if one["record"] == "PREPARE" for item in one["before"]]
    below = bool(items) and all(item.startswith(f"{folder}/") for item in items)
    return below and not any(one["record"] in _OVER for one in records)
