"""The read-only commands that a node runs; the node itself refuses all others, whoever asks."""

__all__ = ["COMMANDS", "Command", "is_allowed"]

import re
from collections.abc import Sequence
from typing import NamedTuple


class Command(NamedTuple):
    """A read-only command.

    ``words`` are the first words that are no options; ``options`` those that it may have (any when None), each as it
    is written, up to a ``=``. Further words are values of options; with ``names`` they may also stand by themselves.
    """

    words: tuple[str, ...]
    options: tuple[str, ...] | None = None
    names: bool = True


# Commands that can also change something list the options that do not.
_DMESG = ("-H", "-J", "-T", "-k", "-l", "-r", "-t", "-x", "--decode", "--facility", "--json", "--kernel", "--level")
_ETHTOOL = ("-S", "-T", "-a", "-c", "-g", "-i", "-k", "-l", "-m", "--driver", "--json", "--statistics")
_IP = ("-4", "-6", "-d", "-details", "-j", "-json", "-s", "-statistics", "-stats")
_JOURNAL = ("-b", "-g", "-k", "-n", "-o", "-p", "-q", "-r", "-t", "-u", "--boot", "--dmesg", "--grep", "--lines")
_NVIDIA = ("-L", "-a", "-d", "-i", "-q", "-x", "--display", "--format", "--id", "--query", "--xml-format")
COMMANDS = (
    Command(
        ("dmesg",), (*_DMESG, "--nopager", "--notime", "--raw", "--since", "--time-format", "--until"), names=False
    ),
    # The options of all of these are given with a "=", so that no value is taken for a subcommand.
    Command(
        ("docker", "compose", "config"),
        ("--env-file", "--file", "--format", "--profile", "--project-directory", "--project-name"),
    ),
    Command(("docker", "compose", "logs"), ("--no-color", "--no-log-prefix", "--project-name", "--tail")),
    Command(("docker", "compose", "version"), ("--short",), names=False),
    Command(("docker", "image", "inspect")),
    Command(("docker", "info"), ("--format",), names=False),
    Command(("docker", "inspect")),
    Command(("docker", "logs"), ("--details", "--since", "--tail", "--timestamps", "--until", "-n", "-t")),
    Command(("docker", "ps")),
    Command(("docker", "version")),
    Command(("ethtool",), _ETHTOOL),
    Command(
        ("fwupdmgr", "get-devices"), ("--json", "--no-authenticate", "--no-metadata-check", "--no-unreported-check")
    ),
    Command(("ibdev2netdev",)),
    Command(("ip", "addr", "show"), _IP),
    Command(("ip", "address", "show"), _IP),
    Command(("ip", "link", "show"), _IP),
    Command(("ip", "neigh", "show"), _IP),
    Command(("ip", "route", "get"), _IP),
    Command(("ip", "route", "show"), _IP),
    Command(("ip", "rule", "show"), _IP),
    Command(
        ("journalctl",),
        (
            *_JOURNAL,
            "--no-hostname",
            "--no-pager",
            "--output",
            "--priority",
            "--quiet",
            "--reverse",
            "--since",
            "--unit",
            "--until",
        ),
    ),
    Command(("lscpu",)),
    Command(
        ("nvidia-smi",),
        (*_NVIDIA, "--query-accounted-apps", "--query-compute-apps", "--query-gpu", "--query-remapped-rows"),
        names=False,
    ),
    Command(("nvidia-smi", "topo"), ("-m",), names=False),
    Command(("runc",), ("--version",), names=False),
    Command(("sparkrun", "export", "running-recipe"), ("--cluster", "--json")),
    Command(("sparkrun", "logs"), ("--all-sources", "--cluster", "--tail")),
    Command(("systemctl", "get-default")),
    Command(("systemctl", "is-active")),
    Command(("systemctl", "is-enabled")),
    Command(("systemctl", "list-unit-files")),
    Command(("systemctl", "list-units")),
    Command(("systemctl", "show")),
    Command(("uname",)),
)

# The variables of one process of a container, for a user who is in docker's group and no root.
_INSIDE = re.compile(r"docker\0exec\0[0-9a-f]{12,64}\0cat\0/proc/[0-9]+/environ")


def is_allowed(argv: Sequence[str]) -> bool:
    """Tell whether a command is on the list, with only the options that its entry has."""
    return _INSIDE.fullmatch("\0".join(argv)) is not None or any(_fits(entry, argv) for entry in COMMANDS)


def _fits(entry: Command, argv: Sequence[str]) -> bool:
    words = [word for word in argv if not word.startswith("-")]
    if not argv or argv[0] != entry.words[0] or tuple(words[: len(entry.words)]) != entry.words:
        return False
    options = [word.partition("=")[0] for word in argv if word.startswith("-")]
    if entry.options is not None and not all(option in entry.options for option in options):
        return False
    if entry.names:
        return True
    # A further word stands for a subcommand, unless an option is right before it.
    extra = [place for place, word in enumerate(argv) if not word.startswith("-")][len(entry.words) :]
    return all(argv[place - 1].startswith("-") and "=" not in argv[place - 1] for place in extra)
