"""What a node is asked to read, and what it answered; the same for a live node and for a captured tree."""

__all__ = [
    "CommandOutput",
    "CountLines",
    "FileStat",
    "Read",
    "ReadCommand",
    "ReadFile",
    "ReadFiles",
    "ReadLinks",
    "ReadNames",
    "ReadStats",
    "Readings",
    "Sampled",
]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.model.observed import Observed, absent
from sparktune.units import Bytes, Nanoseconds, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One file as text; one that is longer than ``most_bytes`` is UNREADABLE, since half of it would mislead."""

    path: str
    most_bytes: Bytes = 262_144


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFiles:
    """Every file that a shell pattern matches, by its path.

    ``*`` matches no ``/`` and no leading dot. Lines end in NUL where the file has any, like an environment.
    ``lines`` keeps only lines that start with one of these (all lines when empty): ``/proc/*/status`` has sixty lines,
    of which two matter.
    """

    pattern: str
    lines: tuple[str, ...] = ()
    most_files: int = 20_000
    most_bytes: Bytes = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLinks:
    """The targets of every symbolic link that a shell pattern matches, as the link says them, by path."""

    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNames:
    """The paths of all files, folders and links that a shell pattern matches, in order."""

    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStats:
    """Size and time of the last change of every file that a shell pattern matches, links followed; none is opened."""

    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCommand:
    """The output of a read-only command; the node runs only those that its allow-list names.

    ``arguments_from`` is a second command of that list: the words that it prints are added as arguments. When it
    prints none nothing runs, and the output is empty. The answer is found under ``argv``.

    In a sample, ``every_s`` above 0 asks so seldom, and beside the ticks: a program that hangs delays none of them.
    """

    argv: tuple[str, ...]
    arguments_from: tuple[str, ...] = ()
    limit_s: Seconds = 10.0
    most_bytes: Bytes = 1_048_576
    every_s: Seconds = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLines:
    """In a sample only: follow a log, and count its lines that hold all ``words``, from what it still has on.

    The text of ``path`` is then the count, and on a second line the last of these lines.
    """

    path: str
    words: tuple[str, ...]


Read = ReadFile | ReadFiles | ReadLinks | ReadNames | ReadStats | ReadCommand
Sampled = Read | CountLines


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOutput:
    """What a command wrote, and its exit code."""

    stdout: str
    stderr: str
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStat:
    """What stat(2) says of a file: ``mtime_ns`` is when its content was last changed, by the node's wall clock."""

    size: Bytes
    mtime_ns: Nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """All answers of one node. What was not asked for is ABSENT, like what does not exist.

    ``unread`` says for a pattern (of files, links, names or stats) why its answer is missing or not all of it.
    """

    files: Mapping[str, Observed[str]] = field(default_factory=dict)
    matches: Mapping[str, Mapping[str, Observed[str]]] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stats: Mapping[str, Mapping[str, FileStat]] = field(default_factory=dict)
    commands: Mapping[tuple[str, ...], Observed[CommandOutput]] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)

    def file(self, path: str) -> Observed[str]:
        """Return the text of a file that was asked for by its path."""
        return self.files.get(path, absent())

    def matching(self, pattern: str) -> Mapping[str, Observed[str]]:
        """Return the files of a pattern, by path."""
        return self.matches.get(pattern, {})

    def command(self, *argv: str) -> Observed[CommandOutput]:
        """Return the output of a command."""
        return self.commands.get(argv, absent())
