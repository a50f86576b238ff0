"""A switch that was commented out, and is on without being given."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_ON = ("async_scheduling", "enable_prefix_caching", "enable_chunked_prefill")
_COMMENT = re.compile(r"(?:^|\s)#(?P<said>.*)$")


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    if part.engine != "vllm":
        return
    for line, row in enumerate(part.document.text.split("\n"), 1):
        found = _COMMENT.search(row)
        for name in _ON if found else ():
            flag = f"--{name.replace('_', '-')}"
            if name in part.settings or found is None or flag not in found["said"].replace("_", "-"):
                continue
            yield Found(
                severity=Severity.INFO,
                evidence=f"{flag} is only in a comment: without it vLLM decides by itself, and current ones turn it on",
                hint=f"to turn it off write {flag.replace('--', '--no-', 1)}; the boot log says what it is",
                file=part.document.name,
                line=line,
            )


RULE = part_rule(
    "left-out-is-on",
    title="a switch that is on without being given",
    why="Taking such a switch out does not turn it off: what was meant as a change is none, and an A/B compares a "
    "service with itself.",
    source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/15; vLLM, config (None means: decide)",
    judge=_judge,
)
