"""What is wrong in a text that could be read."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, lint_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView


def _judge(view: LintView) -> Iterator[Found]:
    for document in view.documents:
        for problem in document.problems:
            yield Found(
                severity=Severity.WARNING,
                evidence=problem.message,
                hint=problem.hint or "look at that line",
                file=document.name,
                line=problem.line,
            )


RULE = lint_rule(
    "text-problem",
    title="a text that says something else than it looks",
    why="A key that is given twice, a quote that is left open, a line that says nothing: what counts is not what is "
    "read.",
    source="YAML 1.2, the compose specification, systemd.syntax(7)",
    judge=_judge,
)
