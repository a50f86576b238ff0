"""Threads get CPUs by what they are: program, process and thread by name, among those of one name the one that spins.

The threads that are meant are found anew by each look; what was found is named by PID, TID and start time from then on,
so that undoing gives back to each what it had, whatever it is called by then. The command ``follow`` does such a step
again for threads that came since: then ``only`` names those.
"""

__all__ = ["KIND"]

from sparktune.agent.busy import why_not_busy
from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Items, Outcome, Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.results import NEEDS_ROOT
from sparktune.agent.steps._shared import TaskKind, outcome, want, wanted_cpus
from sparktune.agent.thread_rules import FEWEST_NAMES, Seen, names_of, threads_meant
from sparktune.agent.why import why

_WHICH = ("named", "main", "busy")
_IN_A_TREE = "what threads want of a core cannot be measured in a captured tree"


class _Threads(TaskKind):
    name = "threads"
    follows = True

    def look(self, machine: Machine, step: Step) -> Reading:
        _check(step)
        if "only" in step:
            return self.look_at(machine, step, want(step, "only", list))
        found = _meant(machine, step)
        if step["which"] == "busy":
            found = _busy(machine, step, found)
        reading = self.look_at(machine, step, [seen.item for seen in found])
        return {item: value for item, value in reading.items() if value is not None}

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        """Give CPUs to those of ``before`` and no others: what they had is in the journal."""
        if not before:
            return {"/".join(name or "*" for name in names_of(step)): _nothing(machine, step)}
        return {item: self.pin(machine, step, item) for item in before}

    def finds_once(self, step: Step) -> bool:
        return step.get("which") == "busy"

    def stands(self, step: Step) -> bool:
        return bool(step.get("reapply"))


def _check(step: Step) -> None:
    for name in ("exe", "process", "thread", "which"):
        want(step, name, str)
    wanted_cpus(step)
    if step["which"] not in _WHICH:
        message = f"which threads of a rule is one of {', '.join(_WHICH)}, not {step['which']!r}"
        raise StepFailed(message)
    if sum(map(bool, names_of(step))) < FEWEST_NAMES:
        message = "a rule for threads needs two of exe, process and thread: one alone may mean what nobody meant"
        raise StepFailed(message)


def _meant(machine: Machine, step: Step) -> list[Seen]:
    try:
        return threads_meant(machine.tree, step)
    except PermissionError:
        message = f"the program of a process {NEEDS_ROOT} to be read"
        raise StepFailed(message) from None
    except OSError as error:
        message = f"/proc: {why(error)}"
        raise StepFailed(message) from error


def _busy(machine: Machine, step: Step, found: list[Seen]) -> list[Seen]:
    """Return those that spin, of a captured tree none. Raises StepFailed when one that the plan saw does not spin."""
    expected = step.get("expect") or {}
    answers = dict.fromkeys((seen.item for seen in found), _IN_A_TREE)
    if not machine.tree.root:
        answers = why_not_busy(machine.tree, found)
    for seen in found:
        if seen.item in expected and answers[seen.item]:
            message = f"thread {seen.tid} of process {seen.pid} is not moved: {answers[seen.item]}"
            raise StepFailed(message)
    return [seen for seen in found if not answers[seen.item]]


def _nothing(machine: Machine, step: Step) -> Outcome:
    later = ", and is looked for again" if step.get("reapply") else ""
    found = _meant(machine, step)
    if not found:
        return outcome("gone", f"no thread is so named now{later}")
    if machine.tree.root:
        return outcome("refused", _IN_A_TREE)
    threads = f"{len(found)} thread{'s are' if len(found) > 1 else ' is'} so named"
    return outcome("gone", f"{threads}, none wants a whole core now while all others of its process rest{later}")


KIND = _Threads()
