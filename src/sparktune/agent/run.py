"""Run one command that starts or stops a service, tell what it says, and let it come to its end if nobody listens."""

__all__ = ["run"]

import os
from collections.abc import Iterator
from typing import Any

from sparktune.agent.lines import Lines
from sparktune.agent.overseer import Order, oversee
from sparktune.agent.privilege import Root
from sparktune.agent.protocol import LONGEST_RUN_S
from sparktune.agent.refusal import COMMAND, Refused
from sparktune.agent.runnable import ENDING, STARTING, Form, form_of, refused_variable
from sparktune.agent.tree import Tree

# What docker says to a user who is not in its group, and journalctl to one who sees only his own: nothing was done yet.
_NOT_ADMITTED = ("permission denied while trying to connect to the docker", "not seeing messages from other users")
_Answer = dict[str, Any]


def run(request: _Answer, tree: Tree, root: Root | None) -> Iterator[_Answer]:
    """Answer the verb ``run``; ``root`` carries out what this user may not, None when nobody has to."""
    try:
        form = _form(request, tree)
        order = _order(request, form)
    except Refused as error:
        yield _refusal(error.kind, str(error))
        return
    if root is not None and form.who == "root":
        yield from root.forward({**request, "folder": order.folder})
        return
    denied = False
    for answer in _carried_out(order):
        said = str(answer.get("part", {}).get("line", "")).lower()
        denied = denied or any(word in said for word in _NOT_ADMITTED)
        if "ok" in answer and denied and form.who == "either" and root is not None:
            yield from root.forward({**request, "folder": order.folder})
            return
        yield answer


def _form(request: _Answer, tree: Tree) -> Form:
    form = form_of([str(word) for word in request["argv"]])
    if form is None:
        raise Refused(COMMAND, "it is not among the commands by which services are started and stopped")
    if tree.root:
        raise Refused(COMMAND, "this is a captured tree: nothing is run on it")
    name = refused_variable(str(name) for name in request.get("environment", {}))
    if name:
        raise Refused(COMMAND, f"the variable {name!r} is not given to a command")
    return form


def _order(request: _Answer, form: Form) -> Order:
    folder = os.path.expanduser(str(request.get("folder") or "~"))
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        raise Refused(COMMAND, f"the folder {folder} is not there")
    return Order(
        argv=[str(word) for word in request["argv"]],
        folder=folder,
        environment={str(name): str(value) for name, value in request.get("environment", {}).items()},
        limit_s=min(float(request["limit_s"]), LONGEST_RUN_S),
        turn="" if form.at_once else str(request.get("turn", "")),
        gives_way=form.verb in STARTING,
        takes_over=form.verb in ENDING,
    )


def _carried_out(order: Order) -> Iterator[_Answer]:
    pid, heard = oversee(order)
    ended = False
    try:
        lines = Lines(heard, -1)
        while not ended and (said := lines.receive()) is not None:
            ended = "part" not in said
            yield said
    finally:
        os.close(heard)
    os.waitpid(pid, 0)
    if not ended:
        yield _refusal("internal", "nobody saw how it ended: what oversaw it was ended")


def _refusal(kind: str, message: str) -> _Answer:
    return {"error": {"kind": kind, "message": message}}
