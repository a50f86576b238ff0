"""Logs read with readers and signatures of the tests' own, and what is kept of them in short."""

__all__ = ["READERS", "REFERENCE_S", "SIGNATURES", "at", "known", "read", "unknown"]

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from tests.support.log_texts import scan_text

from sparktune.model.finding import Severity
from sparktune.model.log import LogFact, LogLine, LogReader, LogRole, LogSignature, ReadLog

REFERENCE_S = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
_POOL = re.compile(r"KV cache size: ([\d,]+) tokens")
_SPEED = re.compile(r"generation throughput: ([\d.]+)")


def _pool(line: LogLine) -> Iterable[LogFact]:
    found = _POOL.search(line.text)
    if found is not None:
        yield LogFact(key="kv_pool_tokens", value=int(found[1].replace(",", "")), line=line)


def _speed(line: LogLine) -> Iterable[LogFact]:
    found = _SPEED.search(line.text)
    if found is not None:
        yield LogFact(key="generation_tok_s", value=float(found[1]), line=line)


def _signature(name: str, pattern: str, role: LogRole = LogRole.ROOT, *engines: str) -> LogSignature:
    return LogSignature(
        id=name,
        title=name,
        role=role,
        severity=Severity.ERROR,
        words=(pattern.split("(", maxsplit=1)[0],),
        pattern=re.compile(pattern),
        source="this test",
        engines=engines,
        explain=lambda found: f"told {found[found.re.groups]}",
    )


READERS = (
    LogReader(engine="vllm", words=("KV cache size",), read=_pool),
    LogReader(engine="vllm", words=("throughput",), read=_speed),
)
SIGNATURES = (
    _signature("memory-short", r"Free memory (\S+)"),
    _signature("peer-gone", r"Broken pipe", LogRole.SECONDARY),
    _signature("harmless", r"SymmMem (\d+)", LogRole.BENIGN),
    _signature("sglang-only", r"watchdog timeout", LogRole.ROOT, "sglang"),
)


def read(text: str) -> ReadLog:
    """Read a log of one node, written near ``REFERENCE_S``."""
    return scan_text(text, "boot.log", "spark1", reference_s=REFERENCE_S)


def known(log: ReadLog) -> list[tuple[str, int, int, int]]:
    """Return messages that are known: id, first line, count, start."""
    return [
        (event.signature.id, event.first.number, event.count, event.start) for event in log.events if event.signature
    ]


def unknown(log: ReadLog) -> list[tuple[str, int, int]]:
    """Return errors that nobody knows: text, first line, count."""
    return [(event.first.text, event.first.number, event.count) for event in log.events if event.signature is None]


def at(text: str) -> float:
    """Return a moment of universal time as seconds since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
