"""Requests to an agent as bytes, and what comes back, decoded as something that nobody vouches for. Pure."""

__all__ = [
    "AgentRefused",
    "Answer",
    "Hello",
    "NotTheAgent",
    "Tick",
    "decode_answer",
    "decode_part",
    "encode_read",
    "encode_request",
    "readings_of",
]

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import (
    CommandOutput,
    CountLines,
    FileStat,
    Read,
    ReadCommand,
    ReadFile,
    ReadFiles,
    Readings,
    ReadLinks,
    ReadNames,
    ReadStats,
    Sampled,
)

_T = TypeVar("_T")
_KINDS: Mapping[type, str] = {
    ReadFile: "file",
    ReadFiles: "files",
    ReadLinks: "links",
    ReadNames: "names",
    ReadStats: "stats",
    ReadCommand: "command",
    CountLines: "count",
}
_Natural = Annotated[int, msgspec.Meta(ge=0)]
_State = Literal["present", "absent", "unreadable"]


class NotTheAgent(Exception):
    """What came is no answer of the agent; the text says what is wrong with it."""


class AgentRefused(Exception):
    """The agent answered that it cannot do what it was asked; ``kind`` and ``reason`` as its protocol has them."""

    def __init__(self, kind: str, reason: str) -> None:
        """Make the text of both."""
        super().__init__(f"{kind}: {reason}")
        self.kind, self.reason = kind, reason


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a request failed."""

    kind: str
    message: str


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line: it carries a part, or it is the last one for its request."""

    id: int
    part: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    ok: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: Fault | msgspec.UnsetType = msgspec.UNSET

    @property
    def last(self) -> bool:
        """Whether no more lines answer the request."""
        return self.part is msgspec.UNSET

    @property
    def carried(self) -> msgspec.Raw:
        """What a part or a successful end carries; nothing for an error."""
        carried = self.ok if self.part is msgspec.UNSET else self.part
        return carried if isinstance(carried, msgspec.Raw) else msgspec.Raw()


class Hello(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who a node is. ``uid`` is None for a captured tree that does not say it; the clocks were read together."""

    protocol: int
    boot_id: str
    hostname: str
    uid: int | None
    python: str
    monotonic_ns: int
    wall_ns: int


class Tick(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tick of a sample: the texts that have changed since the one before, and the paths that have gone.

    ``unread`` has what changed about why commands and logs have no text, "" for what has one again.
    """

    tick: _Natural
    monotonic_ns: int
    wall_ns: int
    missed: _Natural
    changed: dict[str, str]
    gone: tuple[str, ...]
    unread: dict[str, str] = {}


class _Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    index: _Natural
    state: _State
    why: str = ""
    value: msgspec.Raw = msgspec.Raw()


class _FileResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    state: _State
    why: str = ""
    value: str = ""


class _Stat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    size: _Natural
    mtime_ns: int


class _Output(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    stdout: str
    stderr: str
    code: int


def encode_request(number: int, verb: str, **fields: object) -> bytes:
    """Return a request as its line."""
    return msgspec.json.encode({"id": number, "verb": verb, **fields}) + b"\n"


def encode_read(read: Sampled) -> dict[str, Any]:
    """Return a read as the wire has it."""
    return {"kind": _KINDS[type(read)], **asdict(read)}


def decode_answer(line: bytes, number: int, abandoned: Collection[int] = ()) -> Answer:
    """Decode a line that answers a request. Raises NotTheAgent, and AgentRefused for an error.

    Lines for ``abandoned`` requests may still come; their errors matter to nobody.
    """
    answer = _decoded(line, Answer)
    if answer.id in abandoned:
        return answer
    if isinstance(answer.error, Fault):
        raise AgentRefused(answer.error.kind, answer.error.message)
    if answer.id != number:
        message = f"it answers request {answer.id}, but was asked request {number}"
        raise NotTheAgent(message)
    if (answer.part is msgspec.UNSET) == (answer.ok is msgspec.UNSET):
        message = "it sends a line that is neither a part nor an end"
        raise NotTheAgent(message)
    return answer


def decode_part(raw: msgspec.Raw, kind: type[_T]) -> _T:
    """Decode what an answer carries. Raises NotTheAgent."""
    return _decoded(raw, kind)


def _decoded(data: bytes | msgspec.Raw, kind: type[_T]) -> _T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"it sends what the agent does not: {error}"
        raise NotTheAgent(message) from None


def readings_of(reads: Sequence[Read], parts: Sequence[msgspec.Raw]) -> Readings:
    """Put the parts of an answer to ``observe`` in order. Raises NotTheAgent unless there is one for each read."""
    results: dict[int, _Result] = {}
    for part in parts:
        result = decode_part(part, _Result)
        if result.index >= len(reads) or result.index in results:
            message = f"it answers read {result.index} of {len(reads)} twice, or nobody asked"
            raise NotTheAgent(message)
        results[result.index] = result
    if len(results) < len(reads):
        message = f"it answers {len(results)} of {len(reads)} reads"
        raise NotTheAgent(message)
    readings = _Building()
    for index, read in enumerate(reads):
        readings.add(read, results[index])
    return readings.done()


class _Building:
    """Readings in the making."""

    def __init__(self) -> None:
        self._files: dict[str, Observed[str]] = {}
        self._matches: dict[str, dict[str, Observed[str]]] = {}
        self._links: dict[str, dict[str, str]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._stats: dict[str, dict[str, FileStat]] = {}
        self._commands: dict[tuple[str, ...], Observed[CommandOutput]] = {}
        self._unread: dict[str, str] = {}

    def add(self, read: Read, result: _Result) -> None:
        there = result.state == "present"
        match read:
            case ReadFile(path=path):
                self._files[path] = _observed(result, decode_part(result.value, str) if there else None)
            case ReadCommand(argv=argv):
                output = decode_part(result.value, _Output) if there else None
                told = CommandOutput(**msgspec.structs.asdict(output)) if output else None
                self._commands[argv] = _observed(result, told)
            case ReadFiles(pattern=pattern):
                files = decode_part(result.value, dict[str, _FileResult]) if there else {}
                self._matches[pattern] = {path: _observed(file, file.value) for path, file in files.items()}
            case ReadLinks(pattern=pattern):
                self._links[pattern] = decode_part(result.value, dict[str, str]) if there else {}
            case ReadNames(pattern=pattern):
                self._names[pattern] = decode_part(result.value, tuple[str, ...]) if there else ()
            case ReadStats(pattern=pattern):
                told_stats = decode_part(result.value, dict[str, _Stat]) if there else {}
                self._stats[pattern] = {
                    path: FileStat(size=one.size, mtime_ns=one.mtime_ns) for path, one in told_stats.items()
                }
        if result.why and isinstance(read, ReadFiles | ReadLinks | ReadNames | ReadStats):
            self._unread[read.pattern] = result.why

    def done(self) -> Readings:
        return Readings(
            files=self._files,
            matches=self._matches,
            links=self._links,
            names=self._names,
            stats=self._stats,
            commands=self._commands,
            unread=self._unread,
        )


def _observed(result: _Result | _FileResult, value: _T | None) -> Observed[_T]:
    if result.state == "present" and value is not None:
        return present(value)
    return absent() if result.state == "absent" else unreadable(result.why or "the node does not say why")
