"""How the findings of a check, one per trial or per question, become its one answer; and what several checks ask."""

__all__ = [
    "FEWEST_PROMPT_TOKENS",
    "TOO_SHORT",
    "WARM",
    "Finding",
    "completed_requests",
    "counters_hint",
    "make_check",
    "measured_median",
    "over_trials",
    "worst",
]

from collections.abc import Callable, Sequence
from dataclasses import replace

from sparktune.bench.finding import Finding, severity
from sparktune.model.check import CellEvidence, Check, CheckResult, RunEvidence, Status
from sparktune.model.trial import Request, Trial
from sparktune.units import Tokens

# Below this a prompt's time is mostly overhead, and says nothing about the speed at which prompts are read.
FEWEST_PROMPT_TOKENS: Tokens = 2048
# The same words for every cell and check that they are true of: a report tells them once.
TOO_SHORT = f"judged from {FEWEST_PROMPT_TOKENS} prompt tokens on"
# What is to be cold cannot be judged where prompts repeat, or begin alike, on purpose.
WARM = "prompts share prefixes on purpose in this cell: what a cache holds of them is part of the workload"

_COUNTER_FLAGS = {
    "vllm": "vLLM serves counters at /metrics unless --disable-log-stats is set: is the path reachable from here?",
    "sglang": "start SGLang with --enable-metrics",
    "llamacpp": "start llama-server with --metrics",
}


Judge = Callable[[CellEvidence, RunEvidence], Sequence[Finding]]


def make_check(check_id: str, title: str, judge: Judge) -> Check:
    """Return a check that answers with the worst finding of ``judge``, which is asked for cells with trials only."""

    def run(cell: CellEvidence, evidence: RunEvidence) -> CheckResult:
        if not cell.trials:
            return CheckResult(id=check_id, status=Status.UNKNOWN, evidence="no measured wave of this cell finished")
        findings = judge(cell, evidence)
        found = worst(findings)
        label = next((finding.label for finding in findings if finding.label), "")
        hint = "" if found.status is Status.OK else found.hint
        return CheckResult(id=check_id, status=found.status, evidence=found.evidence, hint=hint, label=label)

    return Check(id=check_id, title=title, run=run)


def worst(findings: Sequence[Finding]) -> Finding:
    """Return the finding that decides: the worst status, and within it the largest weight, all evidence of it told."""
    found = max(findings, key=severity)
    alike = [other.evidence for other in findings if other.status is found.status]
    return replace(found, evidence="; ".join(dict.fromkeys(alike)))


def over_trials(cell: CellEvidence, judge: Callable[[Trial], Finding]) -> Finding:
    """Return the finding of the trial that decides; where it is not OK, the evidence says which trial (from 1)."""
    findings = [(trial, judge(trial)) for trial in cell.trials]
    trial, found = max(findings, key=lambda item: severity(item[1]))
    if found.status is Status.OK or len(findings) == 1:
        return found
    alike = sum(other.status is found.status for _, other in findings) - 1
    where = f"trial {trial.index + 1} of {len(findings)}" + (f", {alike} more alike" if alike else "")
    return replace(found, evidence=f"{found.evidence} ({where})")


def completed_requests(cell: CellEvidence) -> tuple[Request, ...]:
    """Return the measured requests of a cell that ended as they should, trial by trial."""
    return tuple(request for trial in cell.trials for request in trial.completed)


def measured_median(cell: CellEvidence, name: str) -> float | None:
    """Return the cell's value of a metric, None where it is unknown."""
    summary = cell.metric(name)
    return None if summary is None else summary.median


def counters_hint(run: RunEvidence) -> str:
    """Return how to make the engine offer its counters."""
    return _COUNTER_FLAGS.get(run.engine.name, "this server offers no counters that are known here")
