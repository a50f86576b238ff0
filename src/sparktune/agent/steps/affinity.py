"""Threads get CPUs. One that ends meanwhile, or refuses, does not undo the others.

Sources: sched_setaffinity(2): EINVAL when the cpuset has none of the CPUs; those outside of it are left out without a
word, so what counts is the list that the kernel shows (proc(5), Cpus_allowed_list). proc(5), stat field 22: the start
time, which tells a thread from a later one with its number. Since Linux 6.2 a thread's own list is remembered when its
cpuset changes: putting back gives it the list that it had as its own.
"""

__all__ = ["KIND"]

import errno
import re
from typing import Any

from sparktune.agent.kind import Items, Kind, Outcome, Reading, Step, StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.numbers import cpus_of, format_cpus, plain_cpus, same_cpus
from sparktune.agent.steps._shared import outcome, read_value, want, wanted_cpus
from sparktune.agent.why import GONE, why

_ALLOWED = re.compile(r"^Cpus_allowed_list:[\t ]*(\S+)", re.MULTILINE)
_STARTED = 19  # counted from the state, which follows the name in parentheses


class _Affinity(Kind):
    name = "affinity"
    lenient = True

    def look(self, machine: Machine, step: Step) -> Reading:
        return {_item(pid, tid, start): _value(machine, pid, tid, start) for pid, tid, start in _tasks(step)}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        del before
        cpus = wanted_cpus(step)
        return {
            _item(pid, tid, start): self._pin(machine, step, (pid, tid, start), cpus)
            for pid, tid, start in _tasks(step)
        }

    def _pin(self, machine: Machine, step: Step, task: tuple[int, int, int], cpus: frozenset[int]) -> Outcome:
        item, now = _item(*task), _value(machine, *task)
        if now is None:
            return outcome("gone", "the thread has ended")
        if self.reached(step, item, now):
            return outcome("already")
        try:
            machine.set_affinity(task[0], task[1], cpus)
        except OSError as error:
            return outcome("gone", "the thread has ended") if error.errno in GONE else outcome("refused", _words(error))
        after = _value(machine, *task)
        if after is None:
            return outcome("gone", "the thread has ended")
        if self.reached(step, item, after):
            return outcome("changed")
        return outcome("ineffective", f"its cpuset leaves it {after['cpus']} of {format_cpus(cpus)}")

    def put_back(self, machine: Machine, step: Step, item: str, before: Any) -> None:  # noqa: ANN401
        del step
        pid, tid, start = (int(piece) for piece in item.split("/"))
        if before is None or _value(machine, pid, tid, start) is None:
            message = f"thread {tid} of process {pid} has ended"
            raise StepFailed(message)
        try:
            machine.restore_affinity(pid, tid, cpus_of(before["cpus"]), before.get("tree", {}))
        except OSError as error:
            message = f"thread {tid} of process {pid}: {_words(error)}"
            raise StepFailed(message) from error

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return value is not None and same_cpus(value["cpus"], format_cpus(wanted_cpus(step)))

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        del step
        if one is None or other is None:
            return one is other
        return same_cpus(one["cpus"], other["cpus"])

    def outlives(self, step: Step, item: str) -> bool:
        """Process 1 is itself in every boot, and a file may have given it at boot what a step gave it before."""
        del step
        return item.startswith("1/1/")

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        return None if value is None else plain_cpus(str(value["cpus"]))


def _tasks(step: Step) -> list[tuple[int, int, int]]:
    try:
        return [(int(task["pid"]), int(task["tid"]), int(task["start_time"])) for task in want(step, "tasks", list)]
    except (KeyError, TypeError, ValueError):
        message = "a task needs pid, tid and start_time"
        raise StepFailed(message) from None


def _item(pid: int, tid: int, start: int) -> str:
    return f"{pid}/{tid}/{start}"


def _value(machine: Machine, pid: int, tid: int, start: int) -> Any:  # noqa: ANN401
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


KIND = _Affinity()
