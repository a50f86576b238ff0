"""What a person at the node is shown, and asked, before something is given up for good."""

__all__ = ["not_agreed", "to_give_up"]

import sys

from sparktune.agent.engine import Engine
from sparktune.agent.say import lines_to_give_up


def to_give_up(engine: Engine, transaction: str, *, quiet: bool) -> list[str]:
    """Return the items of a transaction that could not be put back; print them, unless ``quiet``. Raises Refused."""
    listed = {one["id"]: one for one in engine.journal({})[1]["transactions"]}
    left = [one for one in listed.get(transaction, {}).get("left", []) if one["outcome"] == "failed"]
    if left and not quiet:
        lines = lines_to_give_up(left, engine.folder(transaction))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
    return [one["item"] for one in left]


def not_agreed(*, may_ask: bool) -> str:
    """Ask; return why nothing may be given up, "" when it may."""
    if not may_ask or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return "nothing is given up without a terminal to ask on: add --yes"
    sys.stderr.write("Give it up? [y/N] ")
    sys.stderr.flush()
    return "" if sys.stdin.readline().strip().lower() in {"y", "yes"} else "nothing was given up"
