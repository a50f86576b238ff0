"""Questions before machines are changed. Without a terminal nothing is asked, and nothing is changed without --yes."""

__all__ = ["agreed", "check_can_ask", "who"]

import getpass
import socket
import sys

from sparktune.errors import UsageError
from sparktune.report.bench.words import one_line


def check_can_ask(*, yes: bool) -> None:
    """Raise UsageError when nobody can be asked, before any node is."""
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = "machines are not changed without a terminal to ask on"
        raise UsageError(message, hint="add --yes, or see what would be done with --dry-run")


def agreed(question: str, *, yes: bool) -> bool:
    """Ask on the terminal; only ``y`` and ``yes`` agree. Raises UsageError when nobody can be asked."""
    check_can_ask(yes=yes)
    if yes:
        return True
    sys.stderr.write(f"{one_line(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def who() -> str:
    """Return who asks, for the nodes' journals: a user and this machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        user = "unknown"
    return f"{user}@{socket.gethostname()}"
