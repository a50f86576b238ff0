"""Whether a started server has the arm's arguments and variables, as the kernel has them, and in which process.

A wrapper (a shell, a script) proves nothing of the server behind it: what is read is the process that listens at the
server's address, else the youngest descendant that is no shell, else the started one. Sources: proc_pid_cmdline(5),
execve(2): a script's interpreter and its argument come first.
"""

__all__ = ["ProcessReading", "carries", "read_process"]

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sparktune.io.launching.proc import Seen, listening_pids
from sparktune.io.launching.words import Words
from sparktune.model.launcher import LiveProcess

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "busybox", "ash"})
_WRAPPERS: Final = _SHELLS | {"env", "nice", "nohup", "numactl", "stdbuf", "taskset", "time", "timeout", "uv"}
_INTERPRETER_WORDS: Final = 2  # an interpreter and one argument for it


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessReading:
    """``proven``: the arguments are seen; False where a wrapper's server has others, so that nothing is known.

    ``wrong`` says what is certainly not as wanted, "" when nothing is.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    wanted: Mapping[str, str] = field(default_factory=dict)
    proven: bool = False
    wrong: str = ""
    note: str = ""


def read_process(reader: LiveProcess, words: Words, mine: Sequence[Seen], pid: int, port: int) -> ProcessReading:
    """Read the server among the living processes of a start, of which ``pid`` was started."""
    if not mine:
        return ProcessReading(wrong="the started process has ended")
    subject = _subject(mine, pid, port)
    argv, variables = words.argv(reader.argv), words.variables(reader.environment)
    where = f"pid {subject.pid} ({subject.name})"
    values, wanted = {"command": words.line(subject.argv)}, {"command": words.line(argv)}
    wrong: list[str] = []
    for name, text in variables.items():
        found = _variable(subject, name)
        values[f"env {name}"], wanted[f"env {name}"] = words.hide_value(name, found), words.hide_value(name, text)
        if found != text:
            wrong.append(f"{name} is {words.hide_value(name, found)} in {where}, not {words.hide_value(name, text)}")
    return ProcessReading(
        values=values,
        wanted=wanted,
        proven=carries(subject.argv, argv),
        wrong="; ".join(wrong),
        note=_note(subject, pid, port, mine),
    )


def carries(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether a process's command line is the wanted one, or what a wrapper or an interpreter makes of it."""
    found, wanted = tuple(found), tuple(wanted)
    if not found or not wanted:
        return False
    if found[-len(wanted) :] == wanted and len(found) - len(wanted) <= _INTERPRETER_WORDS:
        return True  # itself, or a script with its interpreter in front
    if len(wanted) > 1 and found[-len(wanted) + 1 :] == wanted[1:] and len(found) - len(wanted) <= _INTERPRETER_WORDS:
        ahead = found[: -len(wanted) + 1]
        return ahead[-1].rpartition("/")[2] == wanted[0].rpartition("/")[2]  # found through PATH
    if wanted[0].rpartition("/")[2] not in _WRAPPERS:
        return False
    if any(found == wanted[start:] for start in range(1, len(wanted))):
        return True  # a wrapper that became the server
    inner = _inner(wanted)
    return bool(inner) and carries(found, inner)


def _inner(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the one plain command of ``bash -c 'exec server --flag'``, () when it is more than that."""
    if wanted[0].rpartition("/")[2] not in _SHELLS or "-c" not in wanted[1:-1]:
        return ()
    try:
        words = shlex.split(wanted[-1], comments=True)
    except ValueError:
        return ()
    if any(mark in wanted[-1] for mark in "|&;<>()$`\n*?"):
        return ()
    while words and (words[0] == "exec" or "=" in words[0]):
        del words[0]
    return tuple(words)


def _subject(mine: Sequence[Seen], pid: int, port: int) -> Seen:
    by_pid = {one.pid: one for one in mine}
    listening = [by_pid[number] for number in listening_pids(port, tuple(mine))]
    if listening:
        first = next((one for one in listening if one.pid == pid), None)
        return first or min(listening, key=lambda one: one.start_ticks)
    started = by_pid.get(pid)
    if started is not None and started.name not in _SHELLS:
        return started
    others = [one for one in mine if one.name not in _SHELLS]
    if others:
        return min(others, key=lambda one: one.start_ticks)
    return started or mine[0]


def _note(subject: Seen, pid: int, port: int, mine: Sequence[Seen]) -> str:
    who = "the started process" if subject.pid == pid else f"started by pid {pid}"
    listens = f", listens on port {port}" if listening_pids(port, tuple(mine)) else ""
    return f"read from pid {subject.pid} ({subject.name}, {who}{listens})"


def _variable(subject: Seen, name: str) -> str:
    if subject.environment is None:
        return "(unreadable)"
    found = [entry for entry in subject.environment if entry.startswith(f"{name}=")]
    return found[0].removeprefix(f"{name}=") if found else "(not set)"
