"""llama.cpp that maps its model instead of reading it."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, part_rule, text
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    if part.engine != "llamacpp" or part.command is None or not any("model" in key for key in part.settings):
        return
    mmap, mode = part.settings.get("mmap"), text(part, "load_mode")
    if (mmap is not None and mmap.value is False) or (mode and "mmap" not in mode and mode != "auto"):
        return
    place = mmap or part.settings.get("load_mode")
    yield Found(
        severity=Severity.WARNING,
        evidence="the model is mapped (mmap)"
        + ("" if place is not None else ": no --no-mmap, and no --load-mode none"),
        hint="add --no-mmap, in builds that have it --load-mode none",
        file=part.document.name,
        line=place.origin.line if place is not None else part.command.words[0].line,
    )


RULE = part_rule(
    "mmap-on-gb10",
    title="a model that is mapped into memory",
    why="On GB10 loading by mmap was seen to take 224 s instead of 22 s; it says nothing about speed afterwards.",
    source="https://github.com/ggml-org/llama.cpp/pull/27742 (comment); https://github.com/lmstudio-ai/lms/issues/366",
    judge=_judge,
)
