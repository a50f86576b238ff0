"""Threads and their load, as ``top -H`` prints them.

Source: top(1), batch mode: columns are told by their header; without one, PID, TID, USER, PR, NI, VIRT, RES, S, %CPU,
P, COMMAND, PARENT in that order. %CPU is of one core. A comment line (``#``) may say whether requests ran.
"""

__all__ = ["LoadSample", "ThreadLoad", "ThreadLoadFacts", "read_top"]

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.units import Ratio

_COLUMNS = ("PID", "TID", "USER", "PR", "NI", "VIRT", "RES", "S", "%CPU", "P", "COMMAND", "PARENT")
_IDLE = re.compile(r"\bidle\b|\b0 requests\b", re.IGNORECASE)
_BUSY = re.compile(r"\bdecoding\b|\bprefill|\bunder load\b|\b[1-9]\d* (?:requests|streams?)\b", re.IGNORECASE)
_MOST_THREADS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLoad:
    """One thread: ``share`` of one core (1.0 is all of it), the core that it ran on, the process that it is of."""

    pid: int
    tid: int
    name: str
    process: str
    state: str
    share: Ratio
    core: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSample:
    """One sample. ``idle`` is whether no request ran, None when nobody says."""

    file: str
    idle: bool | None
    threads: tuple[ThreadLoad, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLoadFacts:
    """Samples of a node's threads, in the order of their files."""

    samples: tuple[LoadSample, ...] = ()


def read_top(text: str, file: str) -> LoadSample:
    """Return the threads of one sample; lines that are none are skipped."""
    columns: Sequence[str] = _COLUMNS
    comments: list[str] = []
    threads: list[ThreadLoad] = []
    for line in text.splitlines():
        words = line.split()
        if line.lstrip().startswith("#"):
            comments.append(line)
        elif "PID" in words and "%CPU" in words:
            columns = words
        elif len(threads) < _MOST_THREADS:
            thread = _thread(dict(zip(columns, words, strict=False)))
            if thread is not None:
                threads.append(thread)
    said = " ".join(comments)
    idle = True if _IDLE.search(said) else False if _BUSY.search(said) else None
    return LoadSample(file=file, idle=idle, threads=tuple(threads))


def _thread(fields: dict[str, str]) -> ThreadLoad | None:
    pid, share, core = fields.get("PID", ""), fields.get("%CPU", ""), fields.get("P", "")
    tid = fields.get("TID", pid)
    if not (_is_number(pid) and _is_number(tid)) or re.fullmatch(r"\d{1,6}(?:\.\d{1,3})?", share, re.ASCII) is None:
        return None
    name = fields.get("COMMAND", "")
    return ThreadLoad(
        pid=int(pid),
        tid=int(tid),
        name=name,
        process=fields.get("PARENT", name),
        state=fields.get("S", ""),
        share=round(float(share) / 100, 6),
        core=int(core) if _is_number(core) else None,
    )


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d{1,10}", text, re.ASCII) is not None
