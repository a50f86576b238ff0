"""What several kinds of steps need: the fields of a step, texts of runtime values, outcomes, threads and their CPUs.

Sources: sched_setaffinity(2): EINVAL when the cpuset has none of the CPUs; those outside of it are left out without a
word, so what counts is the list that the kernel shows (proc(5), Cpus_allowed_list). proc(5), stat field 22: the start
time, which tells a thread from a later one with its number. Since Linux 6.2 a thread's own list is remembered when its
cpuset changes: putting back gives it the list that it had as its own.
"""

__all__ = ["CpusKind", "PathKind", "TaskKind", "item_of", "outcome", "read_value", "want", "wanted_cpus"]

import errno
import re
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.files import read_file
from sparktune.agent.kind import Items, Kind, Outcome, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.numbers import cpus_of, format_cpus, plain_cpus, same_cpus
from sparktune.agent.results import NEEDS_ROOT
from sparktune.agent.why import GONE, why

_MOST_BYTES = 65_536
_ALLOWED = re.compile(r"^Cpus_allowed_list:[\t ]*(\S+)", re.MULTILINE)
_ITEM = re.compile(r"(\d{1,10})/(\d{1,10})/(\d{1,20})", re.ASCII)
_STARTED = 19  # counted from the state, which follows the name in parentheses
_ENDED = "the thread has ended"


class PathKind(Kind):
    """A kind whose one item is something on the disk: it gets a content, or is removed, and is put back whole."""

    content: str  # the field of the step that says what it gets, None to be removed

    @abstractmethod
    def put(self, machine: Machine, step: Step, now: Any) -> None:  # noqa: ANN401 - as in a reading
        """Write the content where ``now`` is. Raises StepFailed and OSError."""

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        """Do it, unless it is so already. Raises StepFailed when somebody else was faster, and OSError."""
        path = want(step, "path", str)
        now = self.look(machine, step)[path]
        if self.reached(step, path, now):
            return {path: outcome("already")}
        if not self.same(step, now, before.get(path)):
            message = f"{path} was changed by somebody else at this moment"
            raise StepFailed(message)
        if step.get(self.content) is None:
            machine.files.remove(path)
        else:
            self.put(machine, step, now)
        return {path: outcome("changed")}

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        """Make it what it was."""
        del step
        machine.files.put_back(item, before)

    def tidy(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        """Remove what a kill left beside it."""
        del step
        machine.files.tidy(item, before)

    def lasts(self, step: Step) -> bool:
        """Tell that the disk outlives a boot."""
        del step
        return True


class CpusKind(Kind):
    """A kind whose items have CPUs, and perhaps numbers that are others at the next look."""

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401 - as in a reading
        """Compare the CPUs alone."""
        del step
        if one is None or other is None:
            return one is other
        return same_cpus(one["cpus"], other["cpus"])

    def shown(self, value: Any) -> str | None:  # noqa: ANN401 - as in a reading
        """Return the CPUs in the kernel's form."""
        return None if value is None else plain_cpus(str(value["cpus"]))


class TaskKind(CpusKind):
    """A kind whose items are threads, each by PID, TID and start time: one that ends is gone, whatever its number."""

    lenient = True

    def look_at(self, machine: Machine, step: Step, items: Iterable[str]) -> Reading:
        """Return the CPUs of these threads. Raises StepFailed when one is no thread's name."""
        del step
        return {item: _value(machine, *_parsed(item)) for item in items}

    def pin(self, machine: Machine, step: Step, item: str) -> Outcome:
        """Give a thread the step's CPUs, and say what it has then."""
        pid, tid, _start = task = _parsed(item)
        now = _value(machine, *task)
        if now is None:
            return outcome("gone", _ENDED)
        if self.reached(step, item, now):
            return outcome("already")
        cpus = wanted_cpus(step)
        try:
            machine.set_affinity(pid, tid, cpus)
        except OSError as error:
            return outcome("gone", _ENDED) if error.errno in GONE else outcome("refused", _words(error))
        after = _value(machine, *task)
        if after is None:
            return outcome("gone", _ENDED)
        if self.reached(step, item, after):
            return outcome("changed")
        return outcome("ineffective", f"its cpuset leaves it {after['cpus']} of {format_cpus(cpus)}")

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        """Give a thread the CPUs that it had."""
        del step
        pid, tid, start = _parsed(item)
        if before is None or _value(machine, pid, tid, start) is None:
            message = f"thread {tid} of process {pid} has ended"
            raise StepFailed(message)
        try:
            machine.restore_affinity(pid, tid, cpus_of(before["cpus"]), before.get("tree", {}))
        except OSError as error:
            message = f"thread {tid} of process {pid}: {_words(error)}"
            raise StepFailed(message) from error

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401 - as in a reading
        """Compare with the step's CPUs."""
        del item
        return value is not None and same_cpus(value["cpus"], format_cpus(wanted_cpus(step)))


def outcome(word: str, why: str = "") -> Outcome:
    """Return what became of an item."""
    return {"outcome": word, "why": why} if why else {"outcome": word}


def want(step: dict[str, Any], name: str, kind: type) -> Any:  # noqa: ANN401 - of that type
    """Return a field of a step. Raises StepFailed when it is missing or of another type."""
    value = step.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        message = f"a step of the kind {step.get('kind')} needs {name!r}, not {value!r}"
        raise StepFailed(message)
    return value


def read_value(machine: Machine, path: str) -> str | None:
    """Return the text of a file of /proc or /sys, None when it is not there. Raises StepFailed."""
    result = read_file(machine.tree, {"path": path, "most_bytes": _MOST_BYTES})
    if result["state"] == "unreadable":
        said = "needs root to be read" if result["why"] == NEEDS_ROOT else f"cannot be read: {result['why']}"
        message = f"{path} {said}"
        raise StepFailed(message)
    return result.get("value")


def wanted_cpus(step: dict[str, Any]) -> frozenset[int]:
    """Return the CPUs of a step. Raises StepFailed when there is none."""
    cpus = want(step, "cpus", list)
    if not cpus or not all(isinstance(cpu, int) and cpu >= 0 for cpu in cpus):
        message = f"no CPUs: {cpus!r}"
        raise StepFailed(message)
    return frozenset(cpus)


def item_of(pid: int, tid: int, start: int) -> str:
    """Return what a thread is called in a reading."""
    return f"{pid}/{tid}/{start}"


def _parsed(item: str) -> tuple[int, int, int]:
    match = _ITEM.fullmatch(item)
    if match is None:
        message = f"no thread's PID/TID/START: {item!r}"
        raise StepFailed(message)
    return int(match[1]), int(match[2]), int(match[3])


def _value(machine: Machine, pid: int, tid: int, start: int) -> Any:  # noqa: ANN401 - as in a reading
    """Return a thread's CPUs, None when it is not there or another one has its number."""
    folder = f"/proc/{pid}/task/{tid}"
    status = read_value(machine, f"{folder}/status")
    # After the list: a thread that took the number in between does not pass for the old one.
    stat = read_value(machine, f"{folder}/stat")
    if status is None or stat is None:
        return None
    fields = stat[stat.rfind(")") + 1 :].split()
    allowed = _ALLOWED.search(status)
    # Process 1 lives as long as its machine runs: nobody else has its number, and a plan may be repeated after a boot.
    itself = tid == 1 or (len(fields) > _STARTED and fields[_STARTED] == str(start))
    if not itself or allowed is None:
        return None
    kept = machine.kept(f"{folder}/status|Cpus_allowed", f"/proc/{pid}/status|Cpus_allowed" if pid == tid else "")
    return {"cpus": allowed[1], **({"tree": kept} if kept else {})}


def _words(error: OSError) -> str:
    if error.errno == errno.EINVAL:
        return "its cpuset has none of these CPUs, or the kernel binds the thread itself (Invalid argument)"
    return why(error)
