"""What sparkrun itself says of a recipe, where it is installed."""

__all__ = ["RULE"]

from collections.abc import Iterator, Mapping

from sparktune.deploy.rules._shared import Found, lint_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING}


def _judge(view: LintView) -> Iterator[Found]:
    told = view.tools.get("sparkrun")
    for file, answer in told.items() if isinstance(told, Mapping) else ():
        issues = answer.get("issues") if isinstance(answer, Mapping) else None
        for issue in issues if isinstance(issues, list | tuple) else ():
            if isinstance(issue, Mapping):
                yield _found(str(file), issue)


def _found(file: str, issue: Mapping[str, object]) -> Found:
    code = str(issue.get("code") or "no code")
    said = str(issue.get("summary") or issue.get("message") or "")
    return Found(
        severity=_SEVERITIES.get(str(issue.get("severity")), Severity.INFO),
        evidence=f"{code}: {' '.join(said.split())}",
        hint=" ".join(str(issue.get("fix") or issue.get("message") or "see sparkrun recipe validate").split()),
        file=file,
        source=f"sparkrun recipe validate, {code}",
    )


RULE = lint_rule(
    "sparkrun-validate",
    title="what sparkrun says of a recipe",
    why="It is what starts the recipe; an error here is one at start.",
    source="sparkrun recipe validate --json",
    judge=_judge,
)
