"""What the agent keeps on a node: /var/lib/sparktune, for root only, and in it a folder per transaction."""

__all__ = ["Home"]

import os
import re
import stat
import time

from sparktune.agent.durable import make_folder, remove, replace, sync_folder
from sparktune.agent.journal import Journal
from sparktune.agent.past import Past, past_of
from sparktune.agent.protocol import HOME
from sparktune.agent.refusal import JOURNAL, Refused
from sparktune.agent.tree import Tree

_ARCHIVE = "agent.pyz"
_ID = re.compile(r"(\d{4,})-\d{8}T\d{6}Z")
_PRIVATE = 0o700
_NOT_MINE = 0o077
_MOST_CLOSED = 100


class Home:
    """The folder of one node or tree; ``path`` is where it really is."""

    def __init__(self, tree: Tree) -> None:
        """Find it; nothing is made."""
        self.path = tree.real(HOME)
        self.archive = os.path.join(self.path, _ARCHIVE)
        self._transactions = os.path.join(self.path, "txn")

    def exists(self) -> bool:
        """Tell whether there was ever a transaction here."""
        return os.path.lexists(self._transactions)

    def prepare(self) -> None:
        """Make it when it is not there. Raises Refused when it cannot be used."""
        try:
            make_folder(self.path)
            status = os.lstat(self.path)
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                message = f"{self.path} is not a folder of this user's"
                raise Refused(JOURNAL, message)
            if status.st_mode & _NOT_MINE:
                os.chmod(self.path, _PRIVATE)
            make_folder(self._transactions)
        except OSError as error:
            message = f"{self.path} cannot be written: {error.strerror}"
            raise Refused(JOURNAL, message) from None

    def install(self, archive: bytes) -> None:
        """Keep the agent itself here, so that undoing needs nothing else. Raises OSError."""
        try:
            handle = os.open(self.archive, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            replace(self.archive, archive)
            return
        try:
            same = os.fstat(handle).st_size == len(archive) and _whole(handle, len(archive)) == archive
        finally:
            os.close(handle)
        if not same:
            replace(self.archive, archive)

    def transactions(self) -> list[Past]:
        """Return every transaction that began, the oldest first. Raises Refused when they cannot be read."""
        try:
            found = [past_of(name, self.folder(name)) for name in self._ids()]
        except OSError as error:
            message = f"{self._transactions} cannot be read: {error.strerror}"
            raise Refused(JOURNAL, message) from None
        return [past for past in found if past is not None]

    def folder(self, name: str) -> str:
        """Return the folder of a transaction."""
        return os.path.join(self._transactions, name)

    def new(self) -> tuple[str, Journal]:
        """Make the folder of a new transaction, and its journal. Raises OSError."""
        last = max((_number(name) for name in self._ids()), default=0)
        name = f"{last + 1:04d}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
        folder = self.folder(name)
        make_folder(folder)
        return name, Journal(folder)

    def drop(self, name: str) -> None:
        """Forget a transaction; its journal goes first, without which it did not begin. Raises Refused."""
        folder = self.folder(name)
        try:
            for entry in ("journal.jsonl", "reserve"):
                remove(os.path.join(folder, entry))
            os.rmdir(folder)
            sync_folder(self._transactions)
        except OSError as error:
            message = f"{folder} cannot be removed: {error.strerror}"
            raise Refused(JOURNAL, message) from None

    def clean(self) -> None:
        """Remove folders of transactions that never began, and the oldest of many that were undone. Raises Refused.

        One that was given up stays: its journal is all that knows what was there before.
        """
        began = self.transactions()
        for name in set(self._ids()) - {past.id for past in began}:
            self.drop(name)
        closed = [past.id for past in began if past.over and past.state != "given_up"]
        for name in closed[:-_MOST_CLOSED]:
            self.drop(name)

    def _ids(self) -> list[str]:
        try:
            names = os.listdir(self._transactions)
        except FileNotFoundError:
            return []
        return sorted(filter(_ID.fullmatch, names), key=_number)


def _number(name: str) -> int:
    return int(name.partition("-")[0])


def _whole(handle: int, size: int) -> bytes:
    pieces = []
    while size > 0 and (piece := os.read(handle, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
