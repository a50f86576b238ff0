"""One option as JSON and in dotted form: the later form drops the other one whole."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    for one in part.dropped:
        if "two forms" not in one.why:
            continue
        yield at(
            one.setting,
            Severity.ERROR,
            f"{one.setting.key} is lost: {one.setting.written} goes for {one.by.written}, which replaces it whole",
            "give the option in one form: all of it as JSON, or every member with a dot",
        )


RULE = part_rule(
    "json-and-dotted",
    title="one option as JSON and in dotted form",
    why="The parser makes one JSON of the dotted members and puts it last, where it wins: the method of speculation is "
    "gone, for instance, without a word.",
    source="vLLM 0.33.0, utils/argparse_utils.py, tried with its parser",
    judge=_judge,
)
