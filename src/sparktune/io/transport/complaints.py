"""What a failed ssh, or a child that ended too soon, has to say about it: the right error, with a hint. Pure."""

__all__ = ["error_of_end", "last_line", "timeout_error"]

from sparktune.errors import NodeAuthRejected, NodeError, NodeNoPython, NodeProtocolError, NodeTimeout, NodeUnreachable

_SSH_FAILED = 255
_NOT_FOUND = 127
_LONGEST = 200
# Words of OpenSSH's messages, of version 7 to 10: kind, hint
_SSH_WORDS: tuple[tuple[str, type[NodeError], str], ...] = (
    (
        "host identification has changed",
        NodeAuthRejected,
        "it shows another key than the one that ssh knows: after a new installation, ssh-keygen -R; else find out why",
    ),
    ("host key verification failed", NodeAuthRejected, "ssh does not know it yet: connect once by hand, ssh {host}"),
    ("permission denied", NodeAuthRejected, "make this work without a password: ssh -o BatchMode=yes {host} true"),
    ("too many authentication failures", NodeAuthRejected, "name the right key for {host} in ~/.ssh/config"),
    ("could not resolve", NodeUnreachable, "ssh knows no host {host}: check the name, or add it to ~/.ssh/config"),
    ("connection refused", NodeUnreachable, "is sshd running on {host}, at this port?"),
    ("timed out", NodeUnreachable, "is {host} on, and on this network?"),
    ("no route", NodeUnreachable, "is {host} on, and on this network?"),
)
_NAMESAKE = "a folder is written with a slash: --nodes {trees}"
_BY_HAND = "try it by hand: ssh {host} python3 --version"


def error_of_end(
    node: str,
    host: str | None,
    code: int | None,
    complaints: str,
    *,
    greeted: bool,
    refused: str = "",
    namesakes: tuple[str, ...] = (),
) -> NodeError:
    """Return why a node gives no (further) answer: its process ended with ``code``, writing ``complaints`` to stderr.

    ``refused`` is what was wrong with its answer, when that is why it was ended. ``namesakes`` are captured trees that
    the same name would mean with a slash.
    """
    said = last_line(complaints)
    by_hand = _BY_HAND.format(host=host) if host else "see whether it works on this machine: --nodes local"
    if refused:
        return NodeProtocolError(f"{node}: {refused}", hint=by_hand)
    if host and code == _SSH_FAILED:
        error = _of_ssh(node, host, said, complaints.lower(), greeted=greeted)
        meant = isinstance(error, NodeUnreachable) and not greeted and namesakes
        return NodeUnreachable(str(error), hint=_NAMESAKE.format(trees=",".join(namesakes))) if meant else error
    if not greeted and ("needs Python" in said or code == _NOT_FOUND):
        message = f"{node}: there is no Python 3.10 or newer" + (f" ({said})" if said else "")
        return NodeNoPython(message, hint="install it: sudo apt install python3")
    what = "the answer breaks off" if greeted else "nothing answers"
    ending = "" if code is None else f", the agent ended with code {code}"
    message = f"{node}: {what}{ending}" + (f" ({said})" if said else "")
    return NodeProtocolError(message, hint=by_hand)


def timeout_error(node: str, host: str | None, limit_s: float, complaints: str) -> NodeTimeout:
    """Return that a node took too long."""
    said = last_line(complaints)
    message = f"{node}: no answer within {limit_s:g} s" + (f" ({said})" if said else "")
    return NodeTimeout(message, hint=f"is {host} overloaded, or half dead?" if host else "is this machine overloaded?")


def last_line(text: str) -> str:
    """Return the last line that says something, short and printable."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    line = "".join(letter if letter.isprintable() else "?" for letter in lines[-1]).removesuffix(".")
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."


def _of_ssh(node: str, host: str, said: str, words: str, *, greeted: bool) -> NodeError:
    for word, kind, hint in _SSH_WORDS:
        if word in words:
            return kind(f"{node}: {said}", hint=hint.format(host=host))
    what = "the connection was lost" if greeted else "ssh does not get there"
    return NodeUnreachable(f"{node}: {what}" + (f" ({said})" if said else ""), hint=f"try it by hand: ssh {host} true")
