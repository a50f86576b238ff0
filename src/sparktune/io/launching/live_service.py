"""Read a service from inside: the arguments, variables and cores of its serving process, as the kernel has them.

A container or a unit that was declared with a setting proves nothing: it may be older than its file, its image may set
the variable again, its script may export another. Values read include which start this is, so that a service that was
started anew between two readings is seen to be another one.
"""

__all__ = ["read_service"]

from collections.abc import Mapping
from typing import Final

from sparktune.host.cpulist import parse_cpulist
from sparktune.host.service.flags import flag_text, flag_wrong
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.live import Reads
from sparktune.io.launching.service_look import Serves, container_of, ended_words, not_one, serves
from sparktune.io.launching.words import Words
from sparktune.io.transport.session import NodeSession
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.launcher import OF_ONE_START, LiveService
from sparktune.redact import redact_argv

_ABSENT: Final = "(not set)"
_MOST_NAMED: Final = 3
_SHORT_ID: Final = 12


async def read_service(reader: LiveService, target: NodeTarget, words: Words, port: int) -> Reads:
    """Compare the serving process with what is wanted of it. Raises NodeError, UsageError."""
    async with NodeSession(target) as node:
        seen = await serves(node, reader.service, port, reader.environment)
    where = _where(reader.service)
    process = seen.serving.process
    wrong = not_one(seen.facts)
    if wrong or process is None:
        return Reads(wrong=f"{where}{wrong or seen.serving.why}{ended_words(seen.facts)}")
    found = _Found(where, words)
    found.start(seen)
    for flag, wanted in reader.flags.items():
        found.flag(process.argv, flag, None if wanted is None else words.filled(wanted))
    for name, wanted in reader.environment.items():
        found.variable(seen, name, None if wanted is None else words.filled(wanted))
    if reader.cpus:
        found.cpus(seen.allowed, reader.cpus)
    note = f"{where}read from pid {process.pid} ({words.line(process.argv[:2])}), which {seen.serving.how}"
    return Reads(
        values=found.values,
        wanted=found.wanted,
        wrong="; ".join(found.wrong),
        note=note,
        node=target.name,
        processes=frozenset(one.pid for one in seen.facts.processes),
    )


class _Found:
    """What was found beside what is wanted."""

    def __init__(self, where: str, words: Words) -> None:
        self._where, self._words = where, words
        self.values: dict[str, str] = {}
        self.wanted: dict[str, str] = {}
        self.wrong: list[str] = []

    def start(self, seen: Serves) -> None:
        """Keep which start this is: the first process with its time, the container, the image's digest."""
        process = seen.serving.process
        container = container_of(seen)
        told = f"pid {process.pid} at tick {process.start_ticks}" if process else "?"
        if container is not None:
            told += f", container {container.id[:_SHORT_ID]} since {container.started_at}"
            self.values[f"{self._where}image"] = container.image or "?"
        self.values[f"{self._where}{OF_ONE_START}"] = told

    def flag(self, argv: tuple[str, ...], flag: str, wanted: str | None) -> None:
        """Compare a flag."""
        found = flag_text(argv, flag)
        shown, want = (_flag_shown(flag, text, self._words) for text in (found, wanted))
        self._add(flag, shown, want, wrong=flag_wrong(argv, flag, wanted))

    def variable(self, seen: Serves, name: str, wanted: str | None) -> None:
        """Compare a variable: one that is empty is not one that is absent (case of getenv(3), the first one counts)."""
        text = seen.environment.value
        if text is None:
            self.wrong.append(f"{self._where}{name} cannot be read: {seen.environment.why or 'it is gone'}")
            return
        found = next((e[len(name) + 1 :] for e in text.split("\0") if e.startswith(f"{name}=")), None)
        shown, want = (_ABSENT if one is None else self._words.hide_value(name, one) for one in (found, wanted))
        self._add(name, shown, want, wrong=found != wanted)

    def cpus(self, allowed: Mapping[str, str], wanted: str) -> None:
        """Compare the cores: no thread may use others; one that pinned itself to some of them may stay there."""
        cores = parse_cpulist(wanted)
        outside = [f"{who} may use {text}" for who, text in allowed.items() if not parse_cpulist(text) <= cores]
        used = frozenset[int]().union(*(parse_cpulist(text) for text in allowed.values()))
        if outside or not allowed:
            shown = "; ".join(outside[:_MOST_NAMED]) or "no thread can be read"
            more = f" and {len(outside) - _MOST_NAMED} more threads" if len(outside) > _MOST_NAMED else ""
            self._add("cpus", shown + more, wanted, wrong=True)
        else:
            self._add("cpus", wanted if used == cores else f"only {sorted(used)}", wanted, wrong=used != cores)

    def _add(self, name: str, found: str, wanted: str, *, wrong: bool) -> None:
        self.values[self._where + name], self.wanted[self._where + name] = found, wanted
        if wrong:
            self.wrong.append(f"{self._where}{name} is {found or 'empty'}, not {wanted or 'empty'}")


def _where(service: ServiceProcess) -> str:
    part = service.unit or next(
        (service.labels[name] for name in ("com.docker.compose.service", "sparkrun.rank") if name in service.labels), ""
    )
    return " ".join(word for word in (service.node, part) if word) + ": " if service.node or part else ""


def _flag_shown(flag: str, text: str | None, words: Words) -> str:
    if text is None:
        return _ABSENT
    return words.hide(redact_argv((flag, text))[1]) if text else "(set)"
