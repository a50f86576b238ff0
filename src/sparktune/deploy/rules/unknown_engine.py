"""A server whose options nobody here can read."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, lint_rule
from sparktune.deploy.settings.grammars import all_grammars
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part
from sparktune.redact import redact_argv


def _judge(view: LintView) -> Iterator[Found]:
    known = sorted(one.engine for one in all_grammars())
    documents = {part.document.name for part in view.parts if part.engine in known}
    for part in view.parts:
        if part.engine in known or part.document.name in documents:
            continue
        if part.command is None and part.document.format != "recipe":
            continue
        yield Found(
            severity=Severity.INFO,
            evidence=f"{_what(part)}: its options are not known here, so that only variables and keys were looked at",
            hint=f"rules about options know {', '.join(known)}; a script that starts one of them can be given too",
            file=part.document.name,
            line=_line(part),
        )


def _what(part: Part) -> str:
    if part.engine:
        return f"the engine is {part.engine}"
    words = redact_argv(word.text for word in part.command.words[:2]) if part.command is not None else ()
    return f"no known engine is started by: {' '.join(words)}" if words else "no known engine is started"


def _line(part: Part) -> int:
    if part.command is not None and part.command.words:
        return part.command.words[0].line
    runtime = part.keys.get("runtime")
    return runtime.origin.line if runtime is not None else 0


RULE = lint_rule(
    "unknown-engine",
    title="a server whose options are not known",
    why="No finding is no praise where nothing could be looked at.",
    source="the grammars in src/sparktune/deploy/settings/grammars",
    judge=_judge,
)
