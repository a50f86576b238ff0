"""One transaction at a time: a lock that dies with its holder, and says who that is.

flock(2) belongs to the open file, so the kernel frees it whatever ends the process. /run/lock may be written by
everybody on Debian and Ubuntu: a file that is not this user's is replaced, and no link is followed.
"""

__all__ = ["Lock", "holder"]

import fcntl
import json
import os
import time
from contextlib import suppress
from types import TracebackType

from sparktune.agent.durable import remove
from sparktune.agent.refusal import BUSY, JOURNAL, Refused
from sparktune.agent.tree import Tree

_PATH = "/run/lock/sparktune.lock"
_PRIVATE = 0o600
_MOST_BYTES = 4096
_PAUSE_S = 0.05
# Whoever only asks who holds the lock holds it for an instant: that is no reason to refuse.
_LEAST_WAIT_S = 0.3


class Lock:
    """``with Lock(tree, who, what, wait_s):`` Raises Refused "busy" after so long, "journal" when there can be none."""

    def __init__(self, tree: Tree, who: str, what: str, wait_s: float) -> None:
        """Keep what the file will say."""
        self._path = tree.real(_PATH, follow=False)
        self._text = json.dumps({"pid": os.getpid(), "who": who, "what": what, "since": _now()}).encode()
        self._wait_s = max(wait_s, _LEAST_WAIT_S)
        self._handle = -1

    def __enter__(self) -> None:
        """Wait for the lock and put this holder's name into it."""
        end = time.monotonic() + self._wait_s
        while not self._take():
            if time.monotonic() >= end:
                raise Refused(BUSY, f"another transaction works here: {_said(self._path) or 'nobody knows whose'}")
            time.sleep(_PAUSE_S)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the name out and free the lock."""
        with suppress(OSError):
            os.ftruncate(self._handle, 0)
        os.close(self._handle)

    def _take(self) -> bool:
        try:
            handle = _open(self._path)
        except OSError as error:
            message = f"{self._path} cannot be made: {error.strerror}"
            raise Refused(JOURNAL, message) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever removed the file meanwhile has another one.
            if os.fstat(handle).st_ino == os.lstat(self._path).st_ino:
                with suppress(OSError):  # on a full disk nobody learns whose it is, but it is held
                    os.ftruncate(handle, 0)
                    os.pwrite(handle, self._text, 0)
                self._handle = handle
                return True
        except OSError as error:
            if not isinstance(error, (BlockingIOError, FileNotFoundError)):
                os.close(handle)
                raise Refused(JOURNAL, f"{self._path} cannot be locked: {error.strerror}") from None
        os.close(handle)
        return False


def holder(tree: Tree) -> str:
    """Return who holds the lock now, "" for nobody."""
    path = tree.real(_PATH, follow=False)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _said(path) or "somebody"
    finally:
        os.close(handle)
    return ""


def _open(path: str) -> int:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder, exist_ok=True)
    with suppress(FileNotFoundError):
        if os.lstat(path).st_uid != os.geteuid():
            remove(path)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _PRIVATE)


def _said(path: str) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        text = json.loads(os.read(handle, _MOST_BYTES))
        return f"{text['what']} by {text['who']} (process {text['pid']}) since {text['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    finally:
        os.close(handle)


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
