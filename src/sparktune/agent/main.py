"""The agent's loop: a request comes in on stdin, its answers go out on stdout, and it ends when stdin does."""

__all__ = ["main"]

import os
from collections.abc import Callable, Iterator
from typing import Any

from sparktune.agent.hello import hello
from sparktune.agent.lines import Lines
from sparktune.agent.observe import Observer
from sparktune.agent.privilege import ROOT_NONCE, Root
from sparktune.agent.protocol import HOME, greeting
from sparktune.agent.refusal import Refused
from sparktune.agent.sample import sample
from sparktune.agent.tree import Tree

_Request = dict[str, Any]


def main(archive: bytes, arguments: list[str]) -> None:
    """Serve until stdin ends. The arguments are the word for the greeting and, for a captured tree, its folder."""
    nonce, *roots = arguments
    tree = Tree(roots[0] if roots else "")
    # Whoever was started to be root and is not, does not try again.
    root = None if tree.root or os.geteuid() == 0 or nonce == ROOT_NONCE else Root(archive)
    lines = Lines(0, 1)
    try:
        # A login shell may have written half a line.
        lines.write("\n" + greeting(nonce) if nonce != ROOT_NONCE else greeting(nonce))
        _serve(lines, tree, Observer(tree, root), _Changes(tree, archive, root))
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # whoever asked has gone
    finally:
        if root is not None:
            root.close()


class _Changes:
    """The verbs that change a node: done here by root or on a tree, else by root's copy of this agent.

    All answers go out when the node's lock is free again: nobody who does not read them can keep it.
    """

    def __init__(self, tree: Tree, archive: bytes, root: Root | None) -> None:
        self._tree, self._archive, self._root = tree, archive, root

    def answers(self, request: _Request) -> Iterator[_Request]:
        if self._root is not None and not self._nothing_to_list(request):
            yield from self._root.forward(request)
            return
        try:
            parts, end = self._answered(request)
        except Refused as error:
            yield {"error": {"kind": error.kind, "message": str(error)}}
            return
        yield from ({"part": part} for part in parts)
        yield {"ok": end}

    def _answered(self, request: _Request) -> tuple[list[_Request], _Request]:
        """Return the parts and the end of an answer; what only looks loads nothing of what changes. Raises Refused."""
        if request["verb"] == "journal":
            from sparktune.agent.telling import told  # noqa: PLC0415 - who asks for facts alone is to be quicker still

            return [], told(self._tree)
        from sparktune.agent.engine import Engine  # noqa: PLC0415 - looking needs none of it, and is to be quick

        return Engine(self._tree, self._archive).verbs[request["verb"]](request)

    def run(self, request: _Request) -> Iterator[_Request]:
        from sparktune.agent.run import run  # noqa: PLC0415 - as above

        yield from run(request, self._tree, self._root)

    def _nothing_to_list(self, request: _Request) -> bool:
        """Tell whether this is a question that needs no root: there was never a transaction here."""
        return request["verb"] == "journal" and not os.path.lexists(HOME)


def _serve(lines: Lines, tree: Tree, observer: Observer, changes: _Changes) -> None:
    verbs: dict[str, Callable[[_Request], Iterator[_Request]]] = {
        "hello": lambda _request: iter([{"ok": hello(tree)}]),
        "observe": lambda request: _observe(observer, request),
        "sample": lambda request: sample(tree, observer, request, lines.waiting),
        "run": changes.run,
        **dict.fromkeys(("transact", "confirm", "revert", "give_up", "journal"), changes.answers),
    }
    while True:
        try:
            request = lines.receive()
        except ValueError as error:
            lines.send({"id": 0, "error": {"kind": "request", "message": f"a line is no request: {error}"}})
            continue
        if request is None:
            return
        number, verb = request.get("id"), str(request.get("verb"))
        try:
            if verb not in verbs:
                lines.send({"id": number, "error": {"kind": "verb", "message": f"there is no verb {verb!r}"}})
                continue
            for answer in verbs[verb](request):
                lines.send({"id": number, **answer})
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever went wrong with one request, the next one is answered
            lines.send({"id": number, "error": {"kind": "internal", "message": repr(error)}})


def _observe(observer: Observer, request: _Request) -> Iterator[_Request]:
    reads = list(request["reads"])
    for part in observer.observe(reads):
        yield {"part": part}
    yield {"ok": {"reads": len(reads)}}
