"""Read an arm back: what the server tells, what a command prints, what the kernel has of a process or of a node."""

__all__ = ["Reads", "read_command", "read_json", "same_text", "together", "value_at"]

import asyncio
import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from sparktune.errors import EndpointError, SparktuneError
from sparktune.io.http.client import Client
from sparktune.io.http.words import one_line
from sparktune.io.launching.reading import LiveReading
from sparktune.io.launching.words import Words
from sparktune.io.time_limit import time_limit
from sparktune.model.launcher import LiveCommand, LiveJson
from sparktune.units import Bytes, Seconds

_ANSWER_S: Final[Seconds] = 20.0
_COMMAND_S: Final[Seconds] = 60.0
_MOST_BYTES: Final[Bytes] = 65_536
_LONGEST = 400
_GOOD: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """What one reader saw. ``wrong`` is not live for certain; ``open`` is neither proven nor disproven.

    ``processes`` are all of the service on ``node``, where the reader saw them.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    wanted: Mapping[str, str] = field(default_factory=dict)
    wrong: str = ""
    open: str = ""
    note: str = ""
    node: str = ""
    processes: frozenset[int] = frozenset()


def together(reads: Sequence[Reads]) -> LiveReading:
    """Return one reading: live when nothing is wrong and something is proven."""
    values = {name: text for one in reads for name, text in one.values.items()}
    wanted = {name: text for one in reads for name, text in one.wanted.items()}
    wrong = [one.wrong for one in reads if one.wrong]
    proven = any(not one.wrong and not one.open for one in reads)
    if not proven and not wrong:
        wrong = [one.open for one in reads if one.open] or ["nothing could be verified"]
    notes = tuple(text for one in reads for text in (one.note, one.open) if text)
    processes: dict[str, frozenset[int]] = {}
    for one in reads:
        if one.processes:
            processes[one.node] = processes.get(one.node, frozenset()) | one.processes
    return LiveReading(
        ok=not wrong, values=values, wanted=wanted, why="; ".join(wrong), notes=notes, processes=processes
    )


def same_text(one: str, other: str) -> bool:
    """Tell whether two texts say the same: as they are, or as numbers."""
    if one.strip() == other.strip():
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


async def read_json(reader: LiveJson, client: Client, words: Words) -> Reads:
    """Ask the server for one value of its own."""
    wanted = {reader.name: words.hide(reader.wanted)}
    try:
        answer = await client.get(reader.path, timeout_s=_ANSWER_S)
    except EndpointError as error:
        return Reads(wanted=wanted, wrong=f"{reader.name}: {words.hide(str(error))}")
    if answer.status != _GOOD:
        return Reads(wanted=wanted, wrong=f"{reader.name}: GET {reader.path} answers {answer.status}")
    try:
        found = value_at(msgspec.json.decode(answer.body), reader.keys)
    except (msgspec.DecodeError, RecursionError):
        return Reads(wanted=wanted, wrong=f"{reader.name}: GET {reader.path} answers no JSON")
    except LookupError as error:
        return Reads(wanted=wanted, wrong=f"{reader.name}: the answer of {reader.path} has no {error.args[0]}")
    return _compared(reader.name, found, reader.wanted, words)


def value_at(content: Any, keys: str) -> str:  # noqa: ANN401 - any JSON
    """Return the value that ``a.b.0`` leads to, as a text. Raises LookupError with the key that is not there."""
    at = content
    walked: list[str] = []
    for key in keys.split("."):
        walked.append(key)
        if isinstance(at, dict) and key in at:
            at = at[key]
        elif isinstance(at, list) and key.isdecimal() and int(key) < len(at):
            at = at[int(key)]
        else:
            raise LookupError(".".join(walked))
    return at if isinstance(at, str) else msgspec.json.encode(at).decode()


async def read_command(reader: LiveCommand, words: Words, folder: Path, environment: Mapping[str, str]) -> Reads:
    """Run a command and take what it prints."""
    wanted = {reader.name: words.hide(reader.wanted)}
    try:
        code, out, complaint = await _output(words.argv(reader.argv), folder, environment)
    except (OSError, SparktuneError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        return Reads(wanted=wanted, wrong=f"{reader.name}: it cannot be run: {said}")
    except TimeoutError:
        return Reads(wanted=wanted, wrong=f"{reader.name}: it did not end within {_COMMAND_S:.0f} s")
    if code != 0:
        said = one_line(words.hide(complaint or out))
        return Reads(wanted=wanted, wrong=f"{reader.name}: it ended with exit code {code}: {said}")
    return _compared(reader.name, out.strip(), reader.wanted, words)


def _compared(name: str, found: str, wanted: str, words: Words) -> Reads:
    shown = one_line(words.hide(found), _LONGEST)
    wrong = "" if same_text(found, wanted) else f"{name} is {shown or 'empty'}, not {words.hide(wanted)}"
    return Reads(values={name: shown}, wanted={name: words.hide(wanted)}, wrong=wrong)


async def _output(argv: Iterable[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
    child = await asyncio.create_subprocess_exec(
        *argv,
        cwd=folder,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with time_limit(_COMMAND_S):
            out, err = await child.communicate()
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            await child.wait()
    texts = [data[:_MOST_BYTES].decode("utf-8", "replace") for data in (out, err)]
    return child.returncode or 0, texts[0], texts[1]
