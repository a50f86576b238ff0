"""A command line that cannot be understood, in our words: what is wrong, what was probably meant, and where to look.

typer's own errors are told apart by what they carry (``option_name``, ``param``) and by the beginnings of their
messages, as typer 0.15 to 0.29 and click 8.1 write them; one that is not known keeps its words, and has the hint, too.
"""

__all__ = ["unforeseen", "usage_error"]

import errno
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

from sparktune.errors import SparktuneError, UsageError

_NO_COMMAND: Final = re.compile(r"No such command '(?P<word>.*?)'\.?(?: Did you mean .*)?", re.DOTALL)
_TOO_MANY: Final = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((?P<words>.*)\)", re.DOTALL)
_BOUND: Final = re.compile(r"Input should be (?P<rest>.*?)(?:, unable to parse .*)?\.?", re.DOTALL)
_NOT_AMONG: Final = re.compile(r"(?:Value error, )?'.*' is not one of (?P<rest>.*?)\.?", re.DOTALL)
_UNREADABLE: Final = re.compile(r"(?:Value error, )?\w+ '(?P<path>.*)' is not readable\.?", re.DOTALL)
_BAD_NAMES: Final = frozenset(
    {errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.ENOTDIR, errno.EISDIR, errno.ENOENT}
)
_NAME_HINT: Final = "give the name of a file or folder that is there"
_LOOP: Final = "Symlink loop from"  # as pathlib of Python 3.11 and 3.12 says it
_NO_FINITE: Final = frozenset({"nan", "inf", "infinity"})
_TIME: Final = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,9})?) ?(?P<unit>ms|s|m|min|h)")
_SECONDS: Final = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600}
_SHOWN: Final = 60
_CLOSE: Final = 0.6


def usage_error(fault: Any, root: Any, argv: Sequence[str]) -> UsageError:  # noqa: ANN401 - typer's classes are private
    """Return typer's complaint about ``argv`` as an error of ours; ``root`` is the command of all commands."""
    words, command = _place(fault, root, argv)
    message, guess = _told(fault, words, command, root, argv)
    join = " " if guess.endswith("?") else "; " if guess else ""
    return UsageError(message, hint=f"{guess}{join}try: {words} --help")


def unforeseen(fault: OSError | RuntimeError | UnicodeEncodeError) -> SparktuneError:
    """Return an error of ours for a name that nobody expected to fail. Raises a fault again that is of no name."""
    if isinstance(fault, UnicodeEncodeError) and fault.reason.startswith("surrogates"):
        message = f"{_short(str(fault.object))} is no text: it has bytes that are no UTF-8"
        return UsageError(message, hint="write it in UTF-8, or give the file a name that is")
    if isinstance(fault, RuntimeError) and str(fault).startswith(_LOOP):
        message = f"{str(fault).removeprefix(_LOOP).strip()} cannot be used: a link that leads to itself"
        return UsageError(message, hint=_NAME_HINT)
    if not isinstance(fault, OSError) or fault.filename is None:
        raise fault
    message = f"{_short(str(fault.filename))} cannot be used: {fault.strerror or fault}"
    if fault.errno in _BAD_NAMES:
        return UsageError(message, hint=_NAME_HINT)
    return SparktuneError(message, hint="is it there, and may this user read and write it?")


def _place(fault: Any, root: Any, argv: Sequence[str]) -> tuple[str, Any]:  # noqa: ANN401 - as above
    """Return the command that complains, with its words; what is missing at the end of a line has no context."""
    context = getattr(fault, "ctx", None)
    if context is None:
        return _meant(root, argv)
    command, words = context.command, []
    while context.parent is not None:
        words.append(context.info_name)
        context = context.parent
    return " ".join(("sparktune", *reversed(words))), command


def _told(fault: Any, words: str, command: Any, root: Any, argv: Sequence[str]) -> tuple[str, str]:  # noqa: ANN401
    """Return what is wrong, and what was probably meant: "" where that is not known."""
    text = str(fault.format_message())
    option = getattr(fault, "option_name", None)
    if option is not None and hasattr(fault, "possibilities"):
        return f"{option} is no option of {words}", _near_option(option, words, command, _meant(root, argv))
    if option is not None:
        return _of_option(option, text)
    if found := _NO_COMMAND.fullmatch(text):
        return f"{_short(found['word'])} is no command of {words}", _near_command(found["word"], words, command, root)
    if found := _TOO_MANY.fullmatch(text):
        extra = found["words"]
        return f"{words} does not know what to do with {_short(extra)}", _placed(extra, words, command)
    return _of_parameter(fault, text, words, command, argv)


def _placed(extra: str, words: str, command: Any) -> str:  # noqa: ANN401 - as above
    """Return where a word too many may belong: nodes have an option, elsewhere the command is written another way."""
    takes_none = not any(param.param_type_name == "argument" for param in command.params)
    names = ",".join(extra.split())
    if takes_none and "--nodes" in _options(command) and re.fullmatch(r"[\w.,/-]{1,120}", names):
        return f"did you mean {words} --nodes {names}?"
    return _usage(words, command)


def _of_parameter(fault: Any, text: str, words: str, command: Any, argv: Sequence[str]) -> tuple[str, str]:  # noqa: ANN401
    name = _name(fault)
    if name and text.startswith("Missing"):
        return f"{words} needs {name}", _usage(words, command)
    return (_bad_value(fault, name, argv), _without_unit(fault, argv)) if name else (_lowered(text), "")


def _of_option(option: str, text: str) -> tuple[str, str]:
    if "does not take a value" in text:
        return f"{option} takes no value", f"write {option} alone"
    return f"{option} needs a value", ""


def _bad_value(fault: Any, name: str, argv: Sequence[str]) -> str:  # noqa: ANN401 - as above
    value = _value_of(getattr(fault.param, "opts", ()), argv)
    shown = f"{name} {_short(value)}" if value is not None else name
    text = str(fault.message).strip()
    if value is not None and value.strip().lstrip("+-").lower() in _NO_FINITE:
        return f"{shown} is no finite number"
    if found := _UNREADABLE.fullmatch(text):
        return f"{_short(found['path'])} cannot be read: this user may not"
    if found := _NOT_AMONG.fullmatch(text):
        return f"{shown} is not one of " + found["rest"].replace("'", "")
    found = _BOUND.fullmatch(text)
    return f"{shown} should be {found['rest']}" if found else f"{shown}: {_lowered(text)}"


def _without_unit(fault: Any, argv: Sequence[str]) -> str:  # noqa: ANN401 - as above
    """Return what to write where a time with its unit stands in the place of bare seconds; "" for anything else."""
    found = _TIME.fullmatch(_value_of(getattr(fault.param, "opts", ()), argv) or "")
    if found is None or str(fault.param.metavar) != "SECONDS":
        return ""
    seconds = float(found["number"]) * _SECONDS[found["unit"]]
    return f"it takes seconds: {max(fault.param.opts, key=len)} {seconds:g}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _name(fault: Any) -> str:  # noqa: ANN401 - as above
    """Return the option with its place for a value, or the argument, as its help writes it; "" for none."""
    param = getattr(fault, "param", None)
    if param is None:
        return ""
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper()).strip("[]{}")


def _value_of(opts: Iterable[str], argv: Sequence[str]) -> str | None:
    """Return the last value that was written behind an option."""
    found = None
    for word, after in zip(argv, [*argv[1:], None], strict=True):
        name, equals, value = word.partition("=")
        if name in opts:
            found = value if equals else after
    return found


def _near_option(option: str, words: str, command: Any, meant: tuple[str, Any]) -> str:  # noqa: ANN401 - as above
    """Return the nearest option, else where one of that very name stands."""
    whole, below = meant
    if below is not command and option in _options(below):
        return f"it stands behind the command: {whole} {option}"
    near = _nearest(option.lower(), _options(command))
    return f"did you mean {words} {near}?" if near else ""


def _options(command: Any) -> list[str]:  # noqa: ANN401 - as above
    return [name for param in command.params for name in (*param.opts, *param.secondary_opts) if name[:2] == "--"]


def _near_command(word: str, words: str, command: Any, root: Any) -> str:  # noqa: ANN401 - as above
    """Return the command of that very name elsewhere, else the nearest one here; an address is what bench takes."""
    if "://" in word:
        return f"to measure a server: sparktune bench {_plain(word)}"
    elsewhere = [" ".join(path) for path in _paths(root, ()) if path[-1] == word.lower()]
    if elsewhere:
        return f"did you mean sparktune {elsewhere[0]}?"
    near = _nearest(word.lower(), list(command.commands))
    return f"did you mean {words} {near}?" if near else ""


def _usage(words: str, command: Any) -> str:  # noqa: ANN401 - as above
    """Return how the command is written with what it needs."""
    needed: list[str] = []
    for param in command.params:
        if param.param_type_name == "argument":
            name = str(param.metavar or param.name.upper()).strip("[]{}")
            needed.append(name if param.required else f"[{name}]")
        elif param.required:
            needed.append(f"{max(param.opts, key=len)} {param.metavar or 'VALUE'}")
    return f"write it as: {' '.join((words, *needed))}"


def _meant(root: Any, argv: Sequence[str]) -> tuple[str, Any]:  # noqa: ANN401 - as above
    """Return the words of the command that a command line is about, and the command."""
    path, command = ["sparktune"], root
    for word in argv:
        below = getattr(command, "commands", {})
        if word not in below:
            if not word.startswith("-") or not below:
                break
            continue
        path.append(word)
        command = below[word]
    return " ".join(path), command


def _paths(command: Any, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:  # noqa: ANN401 - as above
    for name, one in getattr(command, "commands", {}).items():
        yield (*before, name)
        yield from _paths(one, (*before, name))


def _nearest(word: str, known: Sequence[str]) -> str:
    return next(iter(get_close_matches(word, known, 1, _CLOSE)), "")


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def _plain(word: str) -> str:
    return word if re.fullmatch(r"[\w:/.\[\]-]{1,120}", word) else "URL"
