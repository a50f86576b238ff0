"""What a node's agent refuses to do, as the error that a person meets, with the next step. Pure."""

__all__ = ["error_of_refusal"]

from sparktune.errors import ChangeFailed, HostError, NodeBusy, NodeError, NodeNeedsRoot, NodeProtocolError, PlanVoid

_LONGEST = 2000
_FAILURES = {
    "journal": "see whether /var/lib/sparktune on that node can be written and its disk has space",
    "transaction": "list the transactions of the node: sparktune host status{nodes}",
    "command": "is the program that starts the service installed on {host}, and its folder there?",
}


def error_of_refusal(node: str, host: str | None, kind: str, message: str) -> NodeError | HostError:
    """Return the error for an agent's ``kind`` and ``message``, as ``agent/protocol.py`` lists them."""
    said = _printable(message)
    told = f"{node}: {said}"
    if kind in _FAILURES:
        return ChangeFailed(told, hint=_FAILURES[kind].format(host=host or node, nodes=_nodes(host)))
    match kind:
        case "busy":
            where = host or node
            return NodeBusy(told, hint=f"wait for it, or see what it is: sparktune host status --nodes {where}")
        case "void":
            return PlanVoid(told, hint="look at it, then start anew (of a host profile: sparktune host plan)")
        case "root":
            return NodeNeedsRoot(told, hint=_root_hint(host))
    return NodeProtocolError(f"{node}: {kind}: {said}", hint="this is a fault of sparktune, please report it")


def _nodes(host: str | None) -> str:
    return f" --nodes {host}" if host else ", with the node named as here"


def _root_hint(host: str | None) -> str:
    if host is None:
        return "run this as root, with sudo before the same command"
    return f"allow it without a password (NOPASSWD in /etc/sudoers.d on {host}), or run sparktune there as root"


def _printable(text: str) -> str:
    line = "".join(letter if letter.isprintable() else " " for letter in text.strip()).removesuffix(".")
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."
