"""Where in a log an engine starts: the first lines of a start, in the order in which it writes them.

A container that is restarted writes on in the same log. Several API servers of one start write the same lines, each
under its own name. Sources: vLLM 0.8 to 0.33 (the banner, ``non-default args``), SGLang 0.5.23 (``server_args=``),
llama.cpp b11434 (``build_info``, ``load_model``).
"""

__all__ = ["START_WORDS", "Starts"]

import re
from dataclasses import dataclass, field

from sparktune.logs.line import Line

_MARKS = (
    (re.compile(r"\bvLLM API server version |[\u2580-\u259f].* version +v?\d"), "vllm", 0),
    (re.compile(r"\bnon-default args: \{"), "vllm", 1),
    (re.compile(r"\bserver_args=ServerArgs\("), "sglang", 0),
    (re.compile(r"\bbuild_info: b?\d|^build: \d+ \("), "llamacpp", 0),
    (re.compile(r"\bload_model: loading model '"), "llamacpp", 1),
)
START_WORDS = (
    " version ",
    "non-default args: {",
    "server_args=ServerArgs(",
    "build_info: ",
    "build: ",
    "load_model: loading model ",
)
"""A line without one of these begins no start."""


@dataclass(slots=True)
class _Start:
    count: int = 1
    marks: dict[tuple[str, int], str] = field(default_factory=dict)  # who wrote each mark


class Starts:
    """Counts the starts of each container whose lines are in a log."""

    def __init__(self) -> None:
        """Begin before the first."""
        self._of: dict[str, _Start] = {}

    def begins(self, line: Line) -> bool:
        """Whether a line begins another start than the one before."""
        mark = next(((engine, phase) for pattern, engine, phase in _MARKS if pattern.search(line.text)), None)
        if mark is None:
            return False
        start = self._of.setdefault(line.source, _Start())
        later = [(engine, phase) for engine, phase in start.marks if engine == mark[0] and phase >= mark[1]]
        if not later:
            start.marks[mark] = line.process
            return False
        if start.marks.get(mark, line.process) != line.process:
            return False  # another API server of the same start
        start.count += 1
        start.marks = {mark: line.process}
        return True

    def of(self, source: str) -> int:
        """Return how many there were of a container, the one that is running counted."""
        start = self._of.get(source)
        return 1 if start is None else start.count

    @property
    def most(self) -> int:
        """How many there were of the container that started most often."""
        return max((start.count for start in self._of.values()), default=1)
