"""Variables that the engine does not know, and that change nothing."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        facts = log.all_of("unknown_variable")
        if not facts:
            continue
        names = dict.fromkeys(str(fact.value) for fact in facts)
        yield at(
            log,
            facts[0].line,
            Severity.WARNING,
            f"no effect: this version does not know {', '.join(names)}",
            "take them out, or look up what this version calls them; a comparison of such a variable compared one "
            "configuration with itself",
        )


RULE = log_rule(
    "variable-without-effect",
    title="Variables that the engine does not know",
    why="They are ignored: what they were set for does not happen.",
    source="vLLM 0.21 and 0.33, envs.py",
    judge=_judge,
)
