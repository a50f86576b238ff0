"""A node that exists only in loose files: what it would answer to reads."""

__all__ = ["CaseNode"]

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from sparktune.model.observed import Observed, present
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadNames

_ADDRESSES = ("ip", "-j", "addr", "show")
_QUERY_GPU = "--query-gpu="
_UNKNOWN_CELL = "[N/A]"


class CaseNode:
    """Files by path, outputs by command, and what other sources have no form for: facts by their type.

    ``devices`` are network devices as ``ip -j`` prints them, ``gpu`` values by the name of nvidia-smi's field; both
    are gathered from several files before they are answered.
    """

    def __init__(self, name: str) -> None:
        """Start a node of which nothing is known."""
        self.name = name
        self.files: dict[str, str] = {}
        self.outputs: dict[tuple[str, ...], str] = {}
        self.devices: dict[str, dict[str, Any]] = {}
        self.gpu: dict[str, str] = {}
        self.facts: dict[type[Any], Any] = {}

    def device(self, name: str) -> dict[str, Any]:
        """Return a network device to write on."""
        return self.devices.setdefault(name, {"ifname": name})

    def answer(self, reads: Iterable[Read]) -> Readings:
        """Answer as a node does; what nothing is known of is absent."""
        files: dict[str, Observed[str]] = {}
        matches: dict[str, dict[str, Observed[str]]] = {}
        names: dict[str, tuple[str, ...]] = {}
        commands: dict[tuple[str, ...], Observed[CommandOutput]] = {}
        for read in reads:
            match read:
                case ReadFile(path=path) if path in self.files:
                    files[path] = present(self.files[path])
                case ReadFiles(pattern=pattern):
                    matches[pattern] = {path: present(self.files[path]) for path in self._matching(pattern)}
                case ReadNames(pattern=pattern):
                    names[pattern] = self._below(pattern)
                case ReadCommand(argv=argv):
                    text = self._output(argv)
                    if text is not None:
                        commands[argv] = present(CommandOutput(stdout=text, stderr="", code=0))
                case _:
                    pass  # links are never among loose files
        return Readings(files=files, matches=matches, names=names, commands=commands)

    def _matching(self, pattern: str) -> list[str]:
        return [path for path in self.files if _fits(path, pattern)]

    def _below(self, pattern: str) -> tuple[str, ...]:
        """Return files, and the folders above them, that match."""
        depth = pattern.count("/") + 1
        beginnings = dict.fromkeys("/".join(path.split("/")[:depth]) for path in self.files)
        return tuple(path for path in beginnings if _fits(path, pattern))

    def _output(self, argv: tuple[str, ...]) -> str | None:
        if argv in self.outputs:
            return self.outputs[argv]
        if argv == _ADDRESSES and self.devices:
            return json.dumps(list(self.devices.values()))
        if argv[0] == "nvidia-smi" and len(argv) > 1 and argv[1].startswith(_QUERY_GPU):
            fields = argv[1].removeprefix(_QUERY_GPU).split(",")
            if any(field in self.gpu for field in fields):
                return ", ".join({"index": "0", **self.gpu}.get(field, _UNKNOWN_CELL) for field in fields) + "\n"
        return None


def _fits(path: str, pattern: str) -> bool:
    """Whether a shell pattern matches: no part of it reaches over a slash."""
    parts, patterns = path.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
