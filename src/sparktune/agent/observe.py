"""Answer a batch of reads: files at once, commands beside them, and as root what only root may read."""

__all__ = ["Observer"]

import functools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sparktune.agent.commands import Commands
from sparktune.agent.counting import Counter
from sparktune.agent.files import read_file, read_files, read_links, read_names, read_stats
from sparktune.agent.patience import read_patiently
from sparktune.agent.privilege import Root
from sparktune.agent.results import Result, explain_denied, is_denied, unreadable
from sparktune.agent.tree import Tree

_READERS = {"file": read_file, "files": read_files, "links": read_links, "names": read_names, "stats": read_stats}
# Commands wait for others (drivers, daemons) more than they work; a few of them together do not disturb the node.
_AT_ONCE = 4
_DENIED = "permission denied"  # to root itself, or below the folder of a tree


class Observer:
    """Reads of one node or tree; ``root`` is asked for what this user may not read, None when nobody can be."""

    def __init__(self, tree: Tree, root: Root | None) -> None:
        """Keep what is needed for the reads."""
        self._tree, self._commands, self._root = tree, Commands(tree), root
        self._counters: dict[tuple[str, ...], Counter] = {}  # logs are followed from one read to the next

    def observe(self, reads: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the result of each read with its index: files as they are read, then commands."""
        indexes = [index for index, ask in enumerate(reads) if ask.get("kind") == "command"]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            running = [(index, pool.submit(self.read, reads[index])) for index in indexes]
            for index, ask in enumerate(reads):
                if index not in indexes:
                    result = read_patiently(self._tree, functools.partial(self.read, ask))
                    yield {"index": index, **self._complete(ask, result)}
            for index, future in running:
                yield {"index": index, **self._complete(reads[index], future.result())}

    def read(self, ask: dict[str, Any]) -> Result:
        """Do one read as the user that this is."""
        kind = ask.get("kind")
        try:
            if kind == "command":
                return self._commands.run(ask)
            if kind == "count":
                return self._count(ask)
            return _READERS[str(kind)](self._tree, ask)
        except (KeyError, TypeError, ValueError) as error:
            # Another version asks for something that this one does not know.
            return unreadable(f"the read is not understood: {error!r}")

    def read_whole(self, ask: dict[str, Any]) -> Result:
        """Do one read, as root where only root may."""
        return self._complete(ask, self.read(ask))

    def _count(self, ask: dict[str, Any]) -> Result:
        key = (str(ask["path"]), *map(str, ask["words"]))
        if key not in self._counters:
            self._counters[key] = Counter(self._tree, ask)
        return self._counters[key].result()

    def _complete(self, ask: dict[str, Any], result: Result) -> Result:
        if not is_denied(result):
            return result
        if self._root is None:
            explain_denied(result, _DENIED)
            return result
        return self._root.instead(ask, result)
