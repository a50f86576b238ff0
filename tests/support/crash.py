"""Break the real agent, as it is shipped, at every call that writes, and see what a fresh one makes of what is left.

    PYTHONPATH=ARCHIVE:. python -m tests.support.crash ARCHIVE FOLDER
        < {"steps": [STEP, ...], "do": DO, "how": HOW, "every": N}

It runs as a process of its own, which takes ``sparktune.agent`` from the archive. For every (N-th) point it forks: one
child does the work and is broken, another one undoes it, and the tree must be what it was. DO: "transact"; "revert" of
what was done; "recover" of what was killed in the middle of it ("killed_at" its point); "follow" of a rule whose thread
comes after it was made, and "unfollow", the revert of both. HOW: "kill" (SIGKILL before a
call, which is after the one before it, and where bytes are written in the middle of it), "full" and "read-only" (the
call fails once), "full-on" and "read-only-on" (it and all later ones do). What a broken child answered must be true,
too. It prints ``{"points": N, "wrong": [TEXT, ...]}``.
"""

import errno
import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.steps import PID, WORKER, sample_tree, tree_state

from sparktune.agent import engine, machine_tree, transaction
from sparktune.agent.follow import found_by_rules
from sparktune.agent.refusal import Refused
from sparktune.agent.steps import all_kinds
from sparktune.agent.tree import Tree

# What every child imports is here before they are forked.
_IMPORTED = (engine, machine_tree, *all_kinds())
_ARCHIVE = b"what is kept of the agent"

_MODIFIES = (
    *("write", "pwrite", "fsync", "ftruncate", "truncate", "replace", "rename", "unlink", "remove", "mkdir", "rmdir"),
    *("link", "symlink", "chmod", "fchmod", "lchown", "chown", "fchown", "utime", "setxattr", "removexattr"),
    *("posix_fallocate", "mkfifo", "mknod", "open"),
)
_PARTIAL = ("write", "pwrite")
_ERRORS = {"full": errno.ENOSPC, "read-only": errno.EROFS}
# A full disk still takes what makes it no fuller.
_NEED_SPACE = frozenset(("write", "pwrite", "mkdir", "symlink", "link", "open", "posix_fallocate", "setxattr", "fsync"))
_KILLED = -signal.SIGKILL
_COMPLETED, _REFUSED, _FAULT = 0, 3, 4
_Call = Callable[..., Any]
_VERBS = {"transact": "transact", "follow": "follow"}  # of what is broken; "revert" of all others


class Breaker:
    """Counts the calls that modify something, and breaks the one whose turn it is."""

    def __init__(self, how: str, point: int) -> None:
        """Decide where."""
        self._point, self._now, self.hit = point, 0, False
        self._error = _ERRORS.get(how.removesuffix("-on"), 0)
        self._goes_on, self._needing_space = how.endswith("-on"), how.startswith("full")

    def install(self) -> None:
        """Put itself in front of the calls. Nothing is synced: the machine itself does not crash here."""
        for name in _MODIFIES:
            setattr(os, name, self._wrapped(name, getattr(os, name) if name != "fsync" else lambda _handle: None))

    def _wrapped(self, name: str, call: _Call) -> _Call:
        def instead(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            if name == "open" and not arguments[1] & (os.O_CREAT | os.O_TRUNC):
                return call(*arguments, **options)
            broken = self._failing if self._error else self._killing
            return broken(name, call, *arguments, **options)

        return instead

    def _failing(self, name: str, call: _Call, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if not self._needing_space or name in _NEED_SPACE:
            self._now += 1
            if self._now == self._point or (self._goes_on and 0 < self._point < self._now):
                self.hit = True
                raise OSError(self._error, os.strerror(self._error))
        return call(*arguments, **options)

    def _killing(self, name: str, call: _Call, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if name != "fsync":  # it changes nothing that a process could see
            self._turn()
        if name in _PARTIAL and len(arguments[1]) > 1:
            if self._now + 1 == self._point:
                call(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2], *arguments[2:])
            self._turn()
        return call(*arguments, **options)

    def _turn(self) -> None:
        self._now += 1
        if self._now == self._point:
            os.kill(os.getpid(), signal.SIGKILL)


class Matrix:
    """The points of one kind of breaking one piece of work."""

    def __init__(self, folder: Path, asked: dict[str, Any]) -> None:
        """Make the tree that everything starts from."""
        self._asked = asked
        self._start, self._tree, self._answer = folder / "start", folder / "tree", folder / "answer.json"
        sample_tree(self._start)
        self._before = tree_state(self._start)
        self.wrong: list[str] = []

    def run(self) -> int:
        """Break point after point until the work ends unbroken; return how many there were."""
        point = 0
        while True:
            point += int(self._asked.get("every", 1))
            self._prepare()
            ended = self._child(_VERBS.get(self._asked["do"], "revert"), point)
            if ended == _FAULT:
                self.wrong.append(f"point {point}: {self._answer.read_text()}")
                return point
            over = ended == _COMPLETED and not self._said()["broken"]
            self._check(point, ended)
            if over:
                return point

    def _prepare(self) -> None:
        if self.wrong or not self._tree.exists():
            shutil.rmtree(self._tree, ignore_errors=True)
            shutil.copytree(self._start, self._tree, symlinks=True)
        # Else it is as it was, which was seen, but for the journal.
        shutil.rmtree(self._tree / "var/lib/sparktune", ignore_errors=True)
        if self._asked["do"] == "revert":
            self._child("transact", 0)
            if self._asked.get("changes", True) and tree_state(self._tree) == self._before:
                self.wrong.append("the transaction does nothing")
        elif self._asked["do"] in {"follow", "unfollow"}:
            self._make_rule()
            if self._asked["do"] == "unfollow":
                self._child("follow", 0)
        elif self._asked["do"] == "recover":
            self._child("transact", int(self._asked["killed_at"]), "kill")

    def _make_rule(self) -> None:
        """Let the rule find nothing; then let its thread come."""
        comm = self._tree / f"proc/{PID}/task/{WORKER}/comm"
        kept, status = comm.read_text(), comm.stat()
        comm.write_text("not yet\n")
        self._child("transact", 0)
        comm.write_text(kept)
        os.utime(comm, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _follow_to_the_end(self, here: str) -> None:
        """See that whatever was broken, the timer's next two ticks do it: the first undoes what a crash left."""
        for _ in range(2):
            self._child("follow", 0)
        self._child("follow", 0)
        entries = self._said()["end"]
        if tree_state(self._tree) == self._before or entries["transactions"]:
            self.wrong.append(f"{here}: following does not come to its end: {self._said()}")

    def _check(self, point: int, ended: int) -> None:
        here = f"point {point}"
        if ended != _KILLED:
            self._check_answer(here, ended)
        if self._asked["do"] == "follow" and ended == _KILLED:  # what the kernel refused is not tried again
            self._follow_to_the_end(here)
        again = self._child("revert", 0)
        answer = self._said()
        if again != _COMPLETED or answer["end"].get("state") not in {"reverted", "nothing"}:
            self.wrong.append(f"{here}: undoing says {answer}")
        self._compare(here)

    def _check_answer(self, here: str, ended: int) -> None:
        answer = self._said()
        state = answer["end"].get("state")
        back = ended == _REFUSED or state in {"rolled_back", "reverted", "nothing"}
        if back and not (ended == _REFUSED and self._asked["do"] != "transact"):
            self._compare(f"{here}, which said {answer}")

    def _compare(self, here: str) -> None:
        now = tree_state(self._tree)
        names = sorted(name for name in now.keys() | self._before.keys() if now.get(name) != self._before.get(name))
        if names:
            texts = [f"{name}: {self._before.get(name)} became {now.get(name)}" for name in names]
            self.wrong.append(f"{here}: {'; '.join(texts)}")

    def _said(self) -> dict[str, Any]:
        said = json.loads(self._answer.read_text())
        assert isinstance(said, dict)
        return said

    def _child(self, verb: str, point: int, how: str = "") -> int:
        child = os.fork()
        if child == 0:
            os._exit(self._work(verb, Breaker(how or self._asked["how"], point)))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def _work(self, verb: str, breaker: Breaker) -> int:
        kept = {name: getattr(os, name) for name in _MODIFIES}
        code = _COMPLETED
        answer: dict[str, Any] = {"parts": [], "end": {}}
        request = {"label": "test", "who": "the matrix", "boot_id": "", "profile": {}, "steps": self._asked["steps"]}
        breaker.install()
        try:
            agent = engine.Engine(Tree(str(self._tree)), _ARCHIVE)
            if verb == "follow":
                parts, end = agent.follow({**request, "found": found_by_rules(Tree(str(self._tree)))[0]})
            else:
                parts, end = agent.verbs[verb](request)
            answer = {"parts": parts, "end": end}
        except Refused as error:
            code, answer = _REFUSED, {"parts": [], "end": {}, "refused": str(error)}
        except BaseException:  # noqa: BLE001 - it is told
            code, answer = _FAULT, {"parts": [], "end": {}, "fault": traceback.format_exc()}
        for name, call in kept.items():
            setattr(os, name, call)
        self._answer.write_text(json.dumps({**answer, "broken": breaker.hit}))
        return code


def main() -> None:
    """Do what stdin asks for."""
    archive, folder = sys.argv[1:]
    transaction._LEAST_RESERVE = 4096  # hundreds of points are to be quick
    assert engine.__file__.startswith(archive), "this is not the agent that is shipped"
    matrix = Matrix(Path(folder), json.load(sys.stdin))
    points = matrix.run()
    sys.stdout.write(json.dumps({"points": points, "wrong": matrix.wrong[:5]}))


if __name__ == "__main__":
    main()
