"""What launchers read in the same way: the settings of an arm, command lines, and ``live``.

``live`` is one reader, or several by name. A reader has ``A`` and ``B``, the texts that are wanted, and one of
``http`` (a path of the server) with ``keys`` (``a.b.0``), or ``command``. Secrets are written ``${NAME}``: what an
experiment is made of is stored, so that it can be resumed, and a secret is stored nowhere.
"""

__all__ = ["argv_of", "environment_of", "live_readers", "no_where", "only", "settings_of"]

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sparktune.deploy.arm_values import text_of
from sparktune.model.launcher import ArmSpec, LiveCommand, LiveJson
from sparktune.redact import MASK, redact_argv, redact_text

Arms = Mapping[str, Mapping[str, Any]]

_VARIABLE: Final = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHELL_WORDS: Final = frozenset({"&&", "||", "|", ";", ">", ">>", "<", "&", "2>&1"})
_READER_KEYS: Final = frozenset({"http", "keys", "command"})


def settings_of(arms: Arms, arm: str) -> Mapping[str, Any]:
    """Return the settings of an arm. Raises ValueError when there are none."""
    settings = arms.get(arm)
    if not isinstance(settings, Mapping):
        message = f"arm {arm} has no settings; there are: {', '.join(sorted(arms)) or 'none'}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    return settings


def only(settings: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise ValueError for a key that is not known: a misspelled one would be left out without a word."""
    wrong = sorted(set(map(str, settings)) - set(known))
    if wrong:
        message = f"{where}: {wrong[0]!r} is not known here; known are: {', '.join(known)}"
        raise ValueError(message)


def no_where(spec: ArmSpec) -> None:
    """Raise ValueError where parts of a service are named to a launcher that knows none: nothing would touch them."""
    if spec.where:
        message = "where is for the parts of a service (compose, systemd, sparkrun): nothing of it would be set here"
        raise ValueError(message)


def argv_of(value: object, where: str) -> tuple[str, ...]:
    """Return a command from a list of words, or from a text that is split as a shell would and run without one.

    Raises ValueError: no command, one that needs a shell, or one with a secret in it.
    """
    if isinstance(value, str):
        words = _split(value, where)
    elif isinstance(value, list | tuple) and value:
        words = tuple(text_of(word, where) for word in value)
    else:
        words = ()
    if not words or not words[0]:
        message = f"{where}: a command is wanted, a list of words or a text, not {value!r}"
        raise ValueError(message)
    for word, hidden in zip(words, redact_argv(words), strict=True):
        _refuse_secret(word, hidden, where)
    return words


def environment_of(value: object, where: str) -> dict[str, str]:
    """Return variables by name. Raises ValueError for a name that is none, and for a secret."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        message = f"{where}: variables by name are wanted, not {value!r}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    found: dict[str, str] = {}
    for name, given in value.items():
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            message = f"{where}: {name!r} is no name of a variable"
            raise ValueError(message)
        text = text_of(given, f"{where}: {name}")
        assigned = f"{name}={text}"
        _refuse_secret(assigned, redact_text(assigned), where)
        found[name] = text
    return found


def live_readers(arms: Arms, live: Mapping[str, Any], arm: str) -> tuple[LiveJson | LiveCommand, ...]:
    """Return every reader that ``live`` names, with what this arm wants. Raises ValueError."""
    if not live:
        return ()
    named = {"": live} if _READER_KEYS & set(live) else live
    return tuple(_reader(name, fields, arms, arm) for name, fields in named.items())


def _split(text: str, where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        message = f"{where}: {error} in {redact_text(text)!r}"
        raise ValueError(message) from None
    operator = next((word for word in words if word in _SHELL_WORDS or word.endswith(";")), "")
    if operator or (words and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0])):
        what = f"{operator!r} needs" if operator else f"{words[0].partition('=')[0]}= in front needs"
        message = f"{where}: {what} a shell: write command: [bash, -c, '...'], and variables under env"
        raise ValueError(message)
    return words


def _refuse_secret(text: str, hidden: str, where: str) -> None:
    """Refuse what would be stored and must not be; ``${NAME}`` is no secret."""
    if hidden == text or _VARIABLE.fullmatch(text):
        return
    masked = _VARIABLE.sub(MASK, text)
    if masked != text and redact_text(masked) == masked:
        return
    message = f"{where}: a secret would be stored with the experiment ({hidden}); write ${{NAME}} and set that variable"
    raise ValueError(message)


def _reader(name: str, fields: object, arms: Arms, arm: str) -> LiveJson | LiveCommand:
    where = f"live {name}".strip()
    if not isinstance(fields, Mapping):
        message = f"{where}: a reader with http and keys, or with command, is wanted, not {fields!r}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    only(fields, ("http", "keys", "command", *sorted(arms)), where)
    wanted = text_of(_wanted(fields, arms, arm, where), f"{where}: {arm}").strip()
    if "command" in fields:
        if "http" in fields or "keys" in fields:
            message = f"{where}: either http and keys, or command, not both"
            raise ValueError(message)
        argv = argv_of(fields["command"], where)
        return LiveCommand(name=name or shlex.join(argv), argv=argv, wanted=wanted)
    path, keys = fields.get("http"), fields.get("keys")
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(keys, str | int) or keys == "":
        message = f"{where}: http is a path that begins with a slash, and keys say where in its answer, like a.b.0"
        raise ValueError(message)
    return LiveJson(name=name or f"{path} {keys}", path=path, keys=str(keys), wanted=wanted)


def _wanted(fields: Mapping[str, Any], arms: Arms, arm: str, where: str) -> object:
    if arm in fields:
        return fields[arm]
    same = [other for other in arms if other in fields and arms[other] == arms.get(arm)]
    if same:  # the same arm twice
        return fields[same[0]]
    message = f"{where}: it does not say what is wanted in arm {arm}"
    raise ValueError(message)
