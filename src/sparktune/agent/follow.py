"""``agent.pyz follow``: look whether threads came that a rule means, and let the engine do the rule again for them.

A timer runs this every few seconds, so that nearly always there is nothing to do, and finding that out has to be cheap:
it reads journals as text, asks for names before anything else, and loads the engine, the modules of which take longer
than all of this, only when there is something for it. What it found is looked up once more under the lock.
"""

__all__ = ["found_by_rules", "lines_followed", "main", "run"]

import json
import os
import sys
from collections.abc import Iterator

from sparktune.agent.thread_rules import Seen, allowed_of, raw, threads_meant

TYPE_CHECKING = False  # as in thread_rules
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from sparktune.agent.thread_rules import Paths

_TRANSACTIONS = "/var/lib/sparktune/txn"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_MENTIONS = b'"kind":"threads"'
_OVER = ("ABORT", "REVERTED", "GIVEN_UP")
_CHUNK = 65_536
_NOTHING = {"transactions": 0, "state": "nothing", "recovered": [], "followed": []}


class _Here:
    """This machine's paths, without the module for captured trees."""

    root = ""

    def real(self, path: str, *, follow: bool = True) -> str:
        del follow
        return path


class _Entry:
    """A journal that has to do with rules: its first record, how it stands, and the threads that it speaks of."""

    def __init__(self, name: str, records: "list[dict[str, Any]]", *, whole: bool) -> None:
        self.name, self.begin = name, records[0]
        words = [record["record"] for record in records]
        self.over = any(word in _OVER for word in words)
        undoing = self.over or "UNDOING" in words
        waits = self.begin.get("confirm_within_s") and "CONFIRM" not in words
        self.applied = whole and "COMMIT" in words and not undoing and not waits
        self.again = bool(self.begin.get("of"))
        self.crashed = whole and self.again and "COMMIT" not in words and not self.over and words[-1] != "INCOMPLETE"
        self.items = {item for record in records if record["record"] == "PREPARE" for item in record["before"]}


def main() -> "NoReturn":
    """Run it on this machine, for the timer: 0, also when another transaction works here; 1 when it failed."""
    answer = run(_Here())
    lines = lines_followed(answer)
    (sys.stderr if "error" in answer else sys.stdout).write("".join(f"{line}\n" for line in lines))
    sys.exit(1 if "error" in answer or answer["state"] == "incomplete" else 0)


def run(tree: "Paths") -> "dict[str, Any]":
    """Return what was done, as the command answers with ``--json``."""
    if not tree.root and os.geteuid() != 0:
        return {"error": {"kind": "root", "message": "this needs root: sudo python3 /var/lib/sparktune/agent.pyz ..."}}
    try:
        found, crashed = found_by_rules(tree)
    except (OSError, ValueError, KeyError, TypeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it makes no sense"
        return {"error": {"kind": "journal", "message": f"the journals or /proc cannot be read: {said or error}"}}
    if not found and not crashed:
        return dict(_NOTHING)
    return _with_engine(tree.root, found)


def found_by_rules(tree: "Paths") -> "tuple[list[dict[str, Any]], bool]":
    """Return the threads that came since, as ``following`` takes them, and whether an entry was left by a crash.

    Raises OSError, and ValueError, KeyError and TypeError where a journal is no journal.
    """
    entries = list(_entries(tree))
    boot_id = raw(tree, _BOOT_ID).strip()
    known = {item for one in entries if not one.over and one.begin.get("boot_id") == boot_id for item in one.items}
    rules = [one for one in entries if one.applied and not one.again]
    found: list[dict[str, Any]] = []
    for one in reversed(rules):
        steps = one.begin["steps"]
        for number in reversed(range(len(steps))):
            step = steps[number]
            if step.get("kind") == "threads" and step.get("reapply"):
                items = _items(tree, step, known)
                known.update(items)
                found += [{"of": one.name, "step": number, "items": items}] if items else []
    return found, any(one.crashed for one in entries)


def lines_followed(answer: "dict[str, Any]") -> "Iterator[str]":
    """Yield a line for each rule that gave threads CPUs, and for each thread that could not get them."""
    if "error" in answer:
        yield answer["error"]["message"]
    for one in answer.get("recovered", []):
        yield f"{one['transaction']} had not ended: {one['state'].replace('_', ' ')}"
    for one in answer.get("followed", []):
        said = [(item, what) for part in one["steps"] for item, what in part["items"].items()]
        pinned = [(item, what) for item, what in said if what["outcome"] == "changed"]
        if one["failed"]:
            yield f"{one['of']}: {one['failed']}"
        elif pinned:
            threads = ", ".join(item.rpartition("/")[0] for item, _ in pinned)
            word, cpus = "threads" if len(pinned) > 1 else "thread", pinned[0][1].get("found")
            yield f"pinned to CPUs {cpus}: {word} {threads} (process/thread), as {one['of']} says"
        for item, what in said:
            if what["outcome"] in {"refused", "ineffective"}:
                yield f"not as {one['of']} says: thread {item.rpartition('/')[0]} (process/thread): {what['why']}"


def _with_engine(root: str, found: "list[dict[str, Any]]") -> "dict[str, Any]":
    from sparktune.agent.engine import Engine  # noqa: PLC0415 - see above
    from sparktune.agent.refusal import BUSY, Refused  # noqa: PLC0415
    from sparktune.agent.tree import Tree  # noqa: PLC0415

    with open(sys.argv[0], "rb") as file:
        archive = file.read()
    try:
        parts, end = Engine(Tree(root), archive).follow({"who": "the timer", "wait_s": 0.0, "found": found})
    except Refused as error:
        # The next tick comes soon; to wait would only make two of them.
        return dict(_NOTHING) if error.kind == BUSY else {"error": {"kind": error.kind, "message": str(error)}}
    return {**end, "followed": parts}


def _items(tree: "Paths", step: "dict[str, Any]", known: set[str]) -> list[str]:
    """Return the threads that a step means, that nobody knows yet and that have other CPUs."""
    cpus = step.get("cpus")
    if not isinstance(cpus, list) or not all(isinstance(cpu, int) for cpu in cpus):
        return []
    wanted = set(cpus)
    came = [seen for seen in threads_meant(tree, step) if seen.item not in known and _differs(tree, seen, wanted)]
    if step.get("which") != "busy":
        return [seen.item for seen in came]
    # Whoever sleeps at this moment does not spin: most of the time that is all of them, and nothing is measured.
    awake = [seen for seen in came if seen.runs]
    if not awake or tree.root:
        return []
    from sparktune.agent.busy import why_not_busy  # noqa: PLC0415 - see above

    return [item for item, why in why_not_busy(tree, awake).items() if not why]


def _differs(tree: "Paths", seen: Seen, wanted: set[int]) -> bool:
    allowed: set[int] = set()
    for piece in allowed_of(tree, seen).split(","):
        first, _, last = piece.partition("-")
        allowed.update(range(int(first), int(last or first) + 1) if first else ())
    return bool(allowed) and allowed != wanted


def _entries(tree: "Paths") -> "Iterator[_Entry]":
    """Yield the journals that speak of rules, the oldest first; half a line at the end counts as not written."""
    folder = tree.real(_TRANSACTIONS)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    numbered = [(int(number), name) for name in names if (number := name.partition("-")[0]).isdecimal()]
    for _, name in sorted(numbered):
        records, whole = _records(_about_rules(f"{folder}/{name}/journal.jsonl"))
        if records:
            yield _Entry(name, records, whole=whole)


def _records(data: bytes) -> "tuple[list[dict[str, Any]], bool]":
    """Return the records, and whether they are all: what is torn at the end was not written, what else is damaged."""
    records: list[dict[str, Any]] = []
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1]):
        try:
            record = json.loads(line)
        except ValueError:
            return records, number == len(lines) - 2 and not lines[-1]
        if not _makes_sense(record, number):
            return records, False
        records.append(record)
    return records, True


def _makes_sense(record: object, number: int) -> bool:
    """Whether a record has what is read of it here; damage to one journal is not to stop the rules of all others."""
    if not isinstance(record, dict) or record.get("n") != number or not isinstance(record.get("record"), str):
        return False
    if number == 0:
        steps = record.get("steps")
        return record["record"] == "BEGIN" and isinstance(steps, list) and all(isinstance(one, dict) for one in steps)
    return record["record"] != "PREPARE" or isinstance(record.get("before"), dict)


def _about_rules(path: str) -> bytes:
    """Return a journal whose first record has a rule, b"" for another: of these no more than that record is read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    try:
        data = piece = os.read(handle, _CHUNK)
        while piece and b"\n" not in piece:
            piece = os.read(handle, _CHUNK)
            data += piece
        if _MENTIONS not in data.partition(b"\n")[0]:
            return b""
        while piece := os.read(handle, _CHUNK):
            data += piece
        return data
    finally:
        os.close(handle)
