"""One file per thing that can drift; each exports ``ASPECT``."""

__all__ = ["ROUNDS", "all_aspects", "wanted_reads"]

import sys
from functools import cache
from typing import Final

from sparktune.model.drift import DriftAspect, PartSeen
from sparktune.model.reads import Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks, ReadNames
from sparktune.plugins import load_plugins

ROUNDS: Final = 3  # a process's variables name a folder, which is looked into, and its links lead on


@cache
def all_aspects() -> tuple[DriftAspect, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "ASPECT", DriftAspect)


def wanted_reads(part: PartSeen) -> tuple[Read, ...]:
    """Return what the aspects want read of a part beside its ``readings``; () when they have all that they want.

    What one answer tells may lead to the next question: ask ``ROUNDS`` times, each with the answers so far.
    """
    wanted = dict.fromkeys(read for aspect in all_aspects() for read in aspect.reads(part))
    return tuple(read for read in wanted if not _answered(read, part.readings))


def _answered(read: Read, readings: Readings) -> bool:
    match read:
        case ReadFile(path=path):
            return path in readings.files
        case ReadCommand(argv=argv):
            return argv in readings.commands
        case ReadFiles(pattern=pattern):
            return pattern in readings.matches
        case ReadLinks(pattern=pattern):
            return pattern in readings.links
        case ReadNames(pattern=pattern):
            return pattern in readings.names
    return read.pattern in readings.stats
