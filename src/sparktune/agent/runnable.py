"""The commands by which a node starts and stops services; the node itself refuses all others, whoever asks.

Sources: docs.docker.com/reference/cli (docker compose up, down, stop ...; docker stop, kill, rm), systemctl(1), and
``sparkrun --help`` of version 0.4.2. What removes volumes or images, runs a command inside a container or opens an
editor is not among them.
"""

__all__ = ["ENDING", "FORMS", "STARTING", "Form", "form_of", "refused_variable"]

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sparktune.agent.allowed import is_allowed


class Form(NamedTuple):
    """A command that changes what runs.

    ``words`` are its first words; ``before`` are options that may stand between the first of them and the rest, each
    with the number of its values. ``options`` are those that may follow, as they are written, up to a ``=`` (any when
    None). ``who`` carries it out: "root", "user" (never anybody else), or "either": the user, and root when the user
    may not. ``at_once``: it waits for no command that was asked for before it.
    """

    program: str
    words: tuple[str, ...] = ()
    options: tuple[str, ...] | None = ()
    who: str = "either"
    before: Mapping[str, int] = {}
    at_once: bool = False

    @property
    def verb(self) -> str:
        """The word that says what it does."""
        return self.words[-1]


STARTING = frozenset({"create", "restart", "run", "start", "up", "wait"})
"""Verbs that wait for a service to come up: they give way to one that ends it."""

ENDING = frozenset({"down", "kill", "reboot", "rm", "stop"})

_COMPOSE_BEFORE = {
    "-f": 1,
    "--file": 1,
    "-p": 1,
    "--project-name": 1,
    "--env-file": 1,
    "--project-directory": 1,
    "--profile": 1,
    "--ansi": 1,
    "--progress": 1,
}
_TIMEOUT = ("-t", "--time", "--timeout")
_SIGNAL = ("-s", "--signal")
_UP = (
    "-d",
    "--detach",
    "--force-recreate",
    "--no-build",
    "--no-color",
    "--no-deps",
    "--no-log-prefix",
    "--no-recreate",
    "--no-start",
    "--pull",
    "--quiet-pull",
    "--wait",
    "--wait-timeout",
)
_COMPOSE = {
    "up": (*_UP, *_TIMEOUT),
    "create": ("--force-recreate", "--no-build", "--no-recreate", "--pull"),
    "down": _TIMEOUT,
    "kill": _SIGNAL,
    "restart": ("--no-deps", *_TIMEOUT),
    "rm": ("-f", "--force", "-s", "--stop"),
    "start": ("--wait", "--wait-timeout"),
    "stop": _TIMEOUT,
}
_DOCKER = {
    "kill": _SIGNAL,
    "restart": (*_TIMEOUT, *_SIGNAL),
    "rm": ("-f", "--force"),
    "start": (),
    "stop": (*_TIMEOUT, *_SIGNAL),
    "wait": (),
}
_SYSTEMCTL = {
    "daemon-reload": (),
    "kill": ("--kill-who", "--kill-whom", *_SIGNAL),
    "reboot": ("--no-block", "--no-wall"),
    "reset-failed": (),
    "restart": ("--no-block",),
    "start": ("--no-block",),
    "stop": ("--no-block",),
}
_PLACES = ("--cluster", "--hosts", "-H", "--hosts-file", "--offline", "--json")
_SPARKRUN = {
    ("run",): None,  # a recipe of the user's own, with everything that it may be given
    ("stop",): (*_PLACES, "--tp", "--tensor-parallel"),
    ("status",): _PLACES,
    ("cluster", "check-job"): (*_PLACES, "--check-http-models"),
}
FORMS = (
    *(
        Form("docker", ("compose", verb), options, before=_COMPOSE_BEFORE, at_once=verb == "kill")
        for verb, options in _COMPOSE.items()
    ),
    *(Form("docker", (verb,), options, at_once=verb == "kill") for verb, options in _DOCKER.items()),
    *(
        Form("systemctl", (verb,), (*options, "--no-ask-password"), "root", at_once=verb == "kill")
        for verb, options in _SYSTEMCTL.items()
    ),
    *(Form("sparkrun", words, options, "user") for words, options in _SPARKRUN.items()),
)
# What these say makes another program of the one that was asked for, or of what that one starts.
_VARIABLES = ("BASH_ENV", "ENV", "GCONV_PATH", "HOME", "IFS", "PATH", "SHELL")
_BEGINNINGS = ("LD_", "PYTHON", "DYLD_", "SUDO_")


def form_of(argv: Sequence[str]) -> Form | None:
    """Return the form that a command has, None when it has none; one that only reads is run, too."""
    if is_allowed(argv):
        return Form(argv[0], ("read",), None, at_once=True)
    return next((form for form in FORMS if _fits(form, list(argv))), None)


def refused_variable(names: Iterable[str]) -> str:
    """Return the first variable that a command is not given, "" when it may have them all."""
    return next((name for name in names if name in _VARIABLES or name.startswith(_BEGINNINGS) or not _plain(name)), "")


def _plain(name: str) -> bool:
    return name.isascii() and name.isidentifier()


def _fits(form: Form, argv: list[str]) -> bool:
    if not argv or argv.pop(0) != form.program or "" in argv:
        return False
    place = 0
    while argv and (place < len(form.words) or argv[0] in form.before):
        word = argv.pop(0)
        name, sign, _value = word.partition("=")
        if place < len(form.words) and word == form.words[place]:
            place += 1
        elif word.startswith("-") and name in form.before and place:
            del argv[: form.before[name] if not sign else 0]
        else:
            return False
    if place < len(form.words):
        return False
    return form.options is None or all(_option(word) in form.options for word in argv if word.startswith("-"))


def _option(word: str) -> str:
    return word.partition("=")[0]
