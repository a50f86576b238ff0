"""A trial of a thread in sentences: the verdict at idle, what it costs under load, and what to do next."""

__all__ = ["TrialReport", "cost_words", "first_words", "idle_words", "next_steps", "objections", "thread_words"]

from dataclasses import dataclass

from sparktune.experiment.difference import Difference
from sparktune.experiment.idle_result import IdleResult
from sparktune.experiment.idle_trial import IdleTrial
from sparktune.experiment.load_cost import CostStatus, LoadCost
from sparktune.experiment.result import GuardStatus
from sparktune.experiment.verdict import Verdict
from sparktune.host.cpulist import format_cpulist
from sparktune.report.ab.steps import weigh_step
from sparktune.report.ab.words import guard_words
from sparktune.report.bench.words import one_line
from sparktune.units import count_of, format_percent

_AGAIN = "again, while nothing runs, and with a longer --settle where heat still moved: sparktune place trial"
_UNDO = "give the thread back its CPUs: sparktune place trial --undo"
_COSTS = {
    CostStatus.SHOWN: "shown",
    CostStatus.LOWER: "it IS lower by more",
    CostStatus.OPEN: "not shown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """A trial with its parts; one that is None has its reason. ``held``: its thread may still be where it was moved.

    ``unended`` is the experiment under load, when that has not come to its end and nobody works on it now.
    """

    trial: IdleTrial
    idle: IdleResult | None
    cost: LoadCost | None = None
    why_idle: str = ""
    why_load: str = ""
    held: bool = False
    unended: str = ""


def thread_words(trial: IdleTrial) -> str:
    """Say which thread it is."""
    thread = trial.thread
    return one_line(f"tid {thread.tid} ({thread.name}) of process {thread.pid} ({thread.process}) on {trial.node}")


def idle_words(result: IdleResult) -> str:
    """Return the verdict at idle, with its interval and its blocks."""
    effect, verdict = result.judgement.effect, result.verdict
    if verdict is Verdict.INVALID:
        return f"INVALID: {one_line(result.why)}"
    done = len(result.blocks)
    if result.judgement.anecdote:
        why = f" ({one_line(result.why)})" if result.why else ""
        if not done:
            return f"NO VERDICT: no block is complete{why}"
        seen = f"; it was {_shift(effect)} in them" if effect is not None else ""
        return f"ANECDOTE: {'1 block proves' if done == 1 else f'{done} blocks prove'} nothing{seen}{why}"
    if effect is None or verdict is None:
        return f"NO VERDICT YET: {done} of {count_of(len(result.trial.blocks), 'block')}"
    return f"{verdict.value}: {_claim(result, effect)} ({format_percent(effect.confidence)} interval, {_order(result)})"


def cost_words(cost: LoadCost | None, why: str) -> str:
    """Return whether tokens per second are shown to be no lower, or why that is not known."""
    if cost is None:
        return f"tokens per second: not measured ({one_line(why)})"
    words = f"tokens per second ({cost.metric}) not lower by more than {format_percent(cost.margin)}"
    effect = cost.effect
    told = ""
    if effect is not None:
        low, mean, high = (format_percent(one - 1, signed=True) for one in (effect.low, effect.ratio, effect.high))
        told = f": {mean} [{low}, {high}], {count_of(effect.blocks, 'block')}"
    return f"{words}: {_COSTS[cost.status]}{told}"


def first_words(report: TrialReport) -> str:
    """Return the first line: both verdicts, and what stands against moving the thread in the same breath as a gain."""
    idle, found = report.idle, objections(report.cost)
    against = f"under load {', '.join(found)}" if found else ""
    said = idle_words(idle) if idle is not None else f"at idle: not measured ({one_line(report.why_idle)})"
    if against and idle is not None and idle.verdict is Verdict.IMPROVED:
        said = f"{idle.verdict.value}, but {against}{said.removeprefix(idle.verdict.value)}"
    elif against:
        said = f"{against}; {said}"
    return f"{said}; {cost_words(report.cost, report.why_load)}"


def objections(cost: LoadCost | None) -> tuple[str, ...]:
    """Return what under load stands against moving it: what is worse, then what is not shown to be no worse."""
    if cost is None:
        return ()
    worse = (
        [f"{cost.metric} is WORSE by more than {format_percent(cost.margin)}"]
        if cost.status is CostStatus.LOWER
        else []
    )
    harmed = [guard_words(guard) for guard in cost.guards if guard.status is GuardStatus.HARMED]
    unproven = [guard_words(guard) for guard in cost.guards if guard.status is GuardStatus.UNPROVEN]
    return (*worse, *harmed, *unproven)


def next_steps(report: TrialReport) -> tuple[str, ...]:
    """Return what comes next."""
    trial, idle, cost = report.trial, report.idle, report.cost
    if report.unended:
        return _go_on(report)
    if report.held:
        return (_UNDO,)
    if cost is not None and (cost.status is CostStatus.LOWER or _harmed(cost)):
        return ("leave it as it is: moving it costs speed", *_shown(cost))
    if idle is None:
        return _shown(cost)
    if idle.verdict in {Verdict.REGRESSED, Verdict.EQUIVALENT}:
        return ("leave it as it is: moving it wins nothing",)
    weigh = weigh_step("it", cost.harms) if cost is not None and idle.verdict is Verdict.IMPROVED else ()
    return (*weigh, _after_idle(trial, idle, cost), *_shown(cost))


def _go_on(report: TrialReport) -> tuple[str, ...]:
    resume = f"sparktune ab resume {report.unended}"
    only = (f"or only give the thread back its CPUs: {resume} --restore-only",) if report.held else ()
    return (f"the part under load was interrupted; go on with it: {resume}", *only)


def _after_idle(trial: IdleTrial, idle: IdleResult, cost: LoadCost | None) -> str:
    at = f"{trial.thread.tid}@{trial.node}"
    if idle.verdict is not Verdict.IMPROVED:
        return f"{_AGAIN} {at}"
    if cost is None:
        return f"before you keep it, see what it costs: sparktune place trial {at} --load-only --endpoint URL"
    if cost.status is CostStatus.OPEN or any(guard.status is GuardStatus.UNPROVEN for guard in cost.guards):
        return f"what it costs is open; with more --trials: sparktune place trial {at} --load-only --endpoint URL"
    likely = "" if trial.title.startswith("certain") else " --accept-likely"
    return f"keep it: sparktune place pin {at} --cpus {format_cpulist(frozenset(trial.cpus))}{likely}"


def _claim(result: IdleResult, effect: Difference) -> str:
    margin = f"{result.trial.rules.equivalence:g} C"
    if result.verdict is Verdict.EQUIVALENT:
        return f"no difference of {margin} or more: {_interval(effect)}"
    if result.verdict is Verdict.INCONCLUSIVE:
        least = "; an effect is there, and smaller than is worth having" if result.judgement.below_margin else ""
        why = f"; {one_line(result.why)}" if result.why else ""
        return f"no difference is shown, nor that there is none: {_interval(effect)}{least}{why}"
    return _shift(effect)


def _shift(effect: Difference | None) -> str:
    if effect is None:
        return "not known"
    sign, word = (-1, "cooler") if effect.mean < 0 else (1, "hotter")
    ends = sorted((sign * effect.low, sign * effect.high))
    return f"{abs(effect.mean):.1f} C {word} [{ends[0]:.1f}, {ends[1]:.1f}]"


def _interval(effect: Difference) -> str:
    return f"{effect.mean:+.1f} C [{effect.low:+.1f}, {effect.high:+.1f}]"


def _order(result: IdleResult) -> str:
    order = " ".join("".join(arm.value for arm in block.order) for block in result.blocks)
    return f"{count_of(len(result.blocks), 'block')} {order}"


def _harmed(cost: LoadCost) -> bool:
    return any(guard.status is GuardStatus.HARMED for guard in cost.guards)


def _shown(cost: LoadCost | None) -> tuple[str, ...]:
    return (f"under load: sparktune ab show {cost.experiment}",) if cost is not None else ()
