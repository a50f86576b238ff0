"""The beginning of a service's log since it was started: where engines say what they were asked for and run with.

Only so much is read: an engine that has been up for a month says all of this in its first half hour.
"""

__all__ = ["read_boot_log"]

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sparktune.deploy.settings.echoed import ECHO_WORDS, Echo, EchoReader
from sparktune.io.launching.service_look import Serves, container_of
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.reads import ReadCommand, ReadFile
from sparktune.units import Nanoseconds

_BOOT: Final = timedelta(minutes=30)
_MOST_BYTES: Final = 16 * 1024 * 1024
_LIMIT_S: Final = 20.0


async def read_boot_log(
    node: ReadableNode, where: Mapping[str, Any], unit: str, seen: Serves, start_ns: Nanoseconds
) -> tuple[Echo, str]:
    """Return what a log has, and why it has nothing ("" where it has something, or there is none). Raises NodeError."""
    name, read = _read(where, unit, seen, start_ns)
    if read is None:
        return Echo(engine="", asked=(), resolved=()), ""
    readings = await node.observe([read])
    if isinstance(read, ReadFile):
        text, why = readings.file(read.path).value, readings.file(read.path).why
    else:
        said = readings.command(*read.argv)
        text, why = (said.value.stdout + said.value.stderr, "") if said.value else (None, said.why)
    reader = EchoReader(name, node=node.target.name)
    for number, line in enumerate((text or "").split("\n"), start=1):
        if any(word in line for word in ECHO_WORDS):
            reader.feed(line, number)
    return reader.echo(), why if text is None else ""


def _read(
    where: Mapping[str, Any], unit: str, seen: Serves, start_ns: Nanoseconds
) -> tuple[str, ReadFile | ReadCommand | None]:
    if where.get("log"):
        return str(where["log"]), ReadFile(path=str(where["log"]), most_bytes=_MOST_BYTES)
    container = container_of(seen)
    if container is not None and (started := _instant(container.started_at)) is not None:
        until = started + _BOOT
        times = (f"--since={started:%Y-%m-%dT%H:%M:%S}Z", f"--until={until:%Y-%m-%dT%H:%M:%S}Z")
        argv: tuple[str, ...] = ("docker", "logs", *times, container.id)
        return f"docker logs {container.name}", ReadCommand(argv=argv, limit_s=_LIMIT_S, most_bytes=_MOST_BYTES)
    if unit and start_ns:
        first = start_ns // 1_000_000_000 - 1
        times = (f"--since=@{first}", f"--until=@{first + int(_BOOT.total_seconds())}")
        argv = ("journalctl", "--no-pager", f"--unit={unit}", "--output=cat", *times)
        return f"journal of {unit}", ReadCommand(argv=argv, limit_s=_LIMIT_S, most_bytes=_MOST_BYTES)
    return "", None


def _instant(text: str) -> datetime | None:
    """Read the time at which docker started a container; one that never ran has the year 1."""
    try:
        found = datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found if found.year > 1 else None
