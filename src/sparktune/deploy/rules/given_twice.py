"""A setting that is given again, so that the first one does not count."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    for one in part.dropped:
        if "two forms" in one.why or one.setting.value == one.by.value:
            continue
        yield at(
            one.setting,
            Severity.WARNING,
            f"{one.setting.written} does not count: {one.by.written} does ({one.why})",
            "take out the one that is not meant",
        )


RULE = part_rule(
    "given-twice",
    title="a setting that is given twice",
    why="Whoever edits the one that does not count changes nothing.",
    source="vLLM 0.33.0 and llama.cpp b11434, their parsers: of one option the last counts, and the command line wins "
    "over a variable",
    judge=_judge,
)
