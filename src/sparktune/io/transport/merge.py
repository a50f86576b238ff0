"""Several sources may want the same thing of a node: it is asked once, for all that any of them wants."""

__all__ = ["merge_reads"]

from collections.abc import Hashable, Iterable
from dataclasses import replace

from sparktune.model.reads import Read, ReadCommand, ReadFile, ReadFiles, ReadLinks, ReadNames, ReadStats


def merge_reads(reads: Iterable[Read]) -> tuple[Read, ...]:
    """Return the reads with one for each path, pattern or command; of limits the larger, of lines all."""
    merged: dict[tuple[type, Hashable], Read] = {}
    for read in reads:
        key = (type(read), _subject(read))
        merged[key] = _both(merged[key], read) if key in merged else read
    return tuple(merged.values())


def _subject(read: Read) -> Hashable:
    match read:
        case ReadFile(path=path):
            return path
        case ReadCommand(argv=argv):
            return argv
        case ReadFiles() | ReadLinks() | ReadNames() | ReadStats():
            return read.pattern


def _both(one: Read, other: Read) -> Read:
    match one, other:
        case ReadFile(), ReadFile():
            return replace(one, most_bytes=max(one.most_bytes, other.most_bytes))
        case ReadFiles(), ReadFiles():
            return replace(
                one,
                # No lines stands for all of them.
                lines=tuple(dict.fromkeys(one.lines + other.lines)) if one.lines and other.lines else (),
                most_files=max(one.most_files, other.most_files),
                most_bytes=max(one.most_bytes, other.most_bytes),
            )
        case ReadCommand(), ReadCommand():
            return replace(
                one,
                limit_s=max(one.limit_s, other.limit_s),
                most_bytes=max(one.most_bytes, other.most_bytes),
            )
    return one
