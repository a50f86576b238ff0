"""The verdict of an experiment in one sentence, why, and what it would take."""

__all__ = [
    "ACTED_ON",
    "change_words",
    "guard_caveats",
    "guard_words",
    "interval_words",
    "metric_title",
    "order_words",
    "reasons",
    "sentence",
    "unproven_guards",
    "verdict_words",
]

from collections.abc import Sequence

from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.planning import provable_noise, smallest_detectable
from sparktune.experiment.result import ExperimentResult, GuardResult, GuardStatus
from sparktune.experiment.verdict import Verdict
from sparktune.report.bench.words import one_line
from sparktune.units import count_of, format_chance, format_duration, format_percent

_MOST_BLOCKS = 100
_SHOWN_DIGITS = 3
_UNSTABLE = 0.2
_ARMS = ("A", "B")
ACTED_ON = frozenset({Verdict.IMPROVED, Verdict.EQUIVALENT})
_GUARDS = {
    GuardStatus.OK: "no worse by {margin} or more",
    GuardStatus.UNPROVEN: "not shown to be no worse by {margin}",
    GuardStatus.HARMED: "WORSE by more than {margin}",
}


def sentence(result: ExperimentResult, *, names: tuple[str, str] | None = None) -> str:
    """Return the verdict: one sentence with the effect, its interval, blocks, order, wins and guards.

    ``names`` are what the arms are called where A and B say nothing to the reader; the order of arms is left out then.
    """
    _, arm_b = names or _ARMS
    verdict = result.verdict
    if verdict in {Verdict.INVALID, Verdict.STOPPED}:
        return f"{verdict.value}: {one_line(result.why)}"
    effect = result.judgement.effect
    done = len(result.blocks)
    if verdict is None and result.judgement.anecdote:
        seen = f"; {arm_b} was {_shift(result, effect)} in them" if effect is not None else ""
        proves = "1 block proves" if done == 1 else f"{done} blocks prove"
        return f"ANECDOTE: {proves} nothing{seen}" if done else "NO VERDICT: no block is complete"
    if verdict is None or effect is None:
        planned = count_of(len(result.experiment.blocks), "block")
        return f"NO VERDICT YET: {done} of {planned}; nothing is claimed between looks"
    claim, how = _claim(result, verdict, effect, names or _ARMS), _circumstances(result, effect, names)
    return f"{verdict_words(result)}: {claim} {how}{_guards(result)}"


def verdict_words(result: ExperimentResult) -> str:
    """Return the verdict; one that somebody would act on has its guards that do not hold in the same breath."""
    if result.verdict is None:
        return "ANECDOTE" if result.judgement.anecdote and result.blocks else "NO VERDICT YET"
    if result.verdict not in ACTED_ON:
        return result.verdict.value
    told = guard_caveats(result)
    return f"{result.verdict.value}, but {' and '.join(told)}" if told else result.verdict.value


def guard_caveats(result: ExperimentResult) -> tuple[str, ...]:
    """Return the guards that keep a verdict from being acted upon, as they are told behind it, the worse first."""
    if result.verdict not in ACTED_ON:
        return ()
    told = [_caveat(result, guard) for guard in result.guards if guard.status is not GuardStatus.OK]
    return tuple(sorted(told, key=lambda words: "WORSE" not in words))


def reasons(result: ExperimentResult) -> tuple[str, ...]:
    """Return why it is so, and what it would take to decide what is not decided."""
    rules, judgement = result.experiment.rules, result.judgement
    found: list[str] = []
    if result.verdict is Verdict.INCONCLUSIVE and result.why:
        found.append(one_line(result.why))
    if judgement.below_margin:
        found.append(f"there is an effect, but it is below the {format_percent(rules.margin)} that are worth having")
    if judgement.fragile:
        found.append("fragile: without one of its blocks it would not be shown")
    if result.verdict in {None, Verdict.INCONCLUSIVE} and result.smallest_detectable is not None:
        found.append(_detectable(result))
    if result.verdict in {None, Verdict.INCONCLUSIVE}:
        found += _blocks_needed(result)
    if result.chance is not None and result.verdict is None:
        found.append(f"the chance of a verdict by block {rules.last.blocks} is {format_chance(result.chance)}")
    if result.verdict is None and result.judgement.anecdote:
        found.append(f"a verdict needs {rules.looks[0].blocks} blocks at least")
    if result.outliers:
        found.append(f"{count_of(result.outliers, 'trial')} stood apart from the others of the visit; all were kept")
    if result.outliers > _UNSTABLE * _trials(result):
        found.append(f"unstable environment: more than {format_percent(_UNSTABLE)} of all trials stood apart")
    return (*found, *_noise(result))


def metric_title(name: str) -> str:
    """Return a metric's name as it is said in a sentence."""
    return name


def change_words(effect: Effect, better: Better) -> str:
    """Render how the metric itself changed from A to B: less is a minus, whichever way is better."""
    return format_percent(_change(effect.ratio, better), signed=True)


def interval_words(effect: Effect, better: Better) -> str:
    """Render the interval of that change."""
    ends = sorted((_change(effect.low, better), _change(effect.high, better)))
    return f"[{format_percent(ends[0], signed=True)}, {format_percent(ends[1], signed=True)}]"


def order_words(result: ExperimentResult) -> str:
    """Render the order of the arms, block by block: ``AB BA AB``."""
    return " ".join("".join(arm.value for arm in block.order) for block in result.blocks)


def guard_words(guard: GuardResult) -> str:
    """Render what is known of a guard."""
    margin = format_percent(guard.margin)
    known = _GUARDS[guard.status].format(margin=margin)
    return f"{guard.metric} {known}" + (f" ({one_line(guard.why)})" if guard.why else "")


def unproven_guards(result: ExperimentResult) -> str:
    """Return which guards are not shown to hold, "" when all are: with an open one nothing is earned."""
    return ", ".join(guard_words(guard) for guard in result.guards if guard.status is not GuardStatus.OK)


def _change(ratio: float, better: Better) -> float:
    change = (ratio if better is Better.HIGHER else 1 / ratio) - 1
    return round(change, _SHOWN_DIGITS) + 0.0  # no minus in front of nothing


def _caveat(result: ExperimentResult, guard: GuardResult) -> str:
    better = next((one.better for one in result.experiment.guards if one.metric == guard.metric), Better.HIGHER)
    change = f" ({change_words(guard.effect, better)})" if guard.effect is not None else ""
    if guard.status is GuardStatus.HARMED:
        return f"guard {guard.metric} is WORSE{change}"
    return f"guard {guard.metric} is not shown to hold{change}"


def _shift(result: ExperimentResult, effect: Effect) -> str:
    better = result.experiment.primary.better
    return f"{change_words(effect, better)} {interval_words(effect, better)}"


def _claim(result: ExperimentResult, verdict: Verdict, effect: Effect, names: tuple[str, str]) -> str:
    metric, shift = metric_title(result.experiment.primary.metric), _shift(result, effect)
    (arm_a, arm_b), least = names, format_percent(result.experiment.rules.equivalence)
    if verdict is Verdict.EQUIVALENT:
        return f"{arm_b} differs from {arm_a} by less than {least}: {shift} in {metric}"
    if verdict is Verdict.DIFFERENT:
        return f"the two ways are not the same: {arm_b} is {shift} in {metric}, {least} or more apart"
    if verdict is Verdict.INCONCLUSIVE:
        return f"{arm_b} is {shift} in {metric}, which decides nothing"
    return f"{arm_b} is {shift} in {metric}"


def _circumstances(result: ExperimentResult, effect: Effect, names: tuple[str, str] | None) -> str:
    interval = f"{format_percent(effect.confidence)} interval"
    order, winner = ("", "it") if names else (f", {order_words(result)}", "B")
    return f"({count_of(effect.blocks, 'block')}{order}, {winner} won {effect.wins}/{effect.blocks}; {interval})"


def _guards(result: ExperimentResult) -> str:
    return f"; guards: {', '.join(map(guard_words, result.guards))}" if result.guards else ""


def _trials(result: ExperimentResult) -> int:
    runs = [visit.result for visit in result.visits if visit.result is not None]
    return sum(row.trials for run in runs for row in run.cells)


def _detectable(result: ExperimentResult) -> str:
    rules, effect = result.experiment.rules, result.judgement.effect
    last = rules.last
    deviation = format_percent(effect.deviation) if effect is not None else "unknown"
    if rules.only_equivalence:
        most, same = (
            format_percent(share)
            for share in (
                provable_noise(rules.equivalence, last.blocks, last.alpha, floor=rules.floor),
                rules.equivalence,
            )
        )
        return f"blocks differ by {deviation}: {last.blocks} of them show {same} when they differ by {most} or less"
    least = format_percent(result.smallest_detectable or 0.0)
    return f"blocks differ by {deviation}: {last.blocks} of them find {least} in four of five experiments"


def _blocks_needed(result: ExperimentResult) -> list[str]:
    effect, rules = result.judgement.effect, result.experiment.rules
    if effect is None:
        return []
    if rules.only_equivalence:
        return _blocks_of_equals(result, effect)
    size = max(effect.ratio, 1 / effect.ratio) - 1
    if size < rules.margin:
        return []
    needed = next(
        (
            blocks
            for blocks in range(rules.looks[0].blocks, _MOST_BLOCKS + 1)
            if smallest_detectable(effect.deviation, blocks, rules.last.alpha, margin=rules.margin, floor=rules.floor)
            <= size
        ),
        None,
    )
    if needed is None:
        return [f"an effect of this size would take more than {_MOST_BLOCKS} blocks with this noise"]
    if needed <= len(result.blocks):
        return []
    return [f"an effect of this size would take about {needed} blocks with this noise, or more trials per visit"]


def _blocks_of_equals(result: ExperimentResult, effect: Effect) -> list[str]:
    """Return how many blocks would show that arms which are the same are the same."""
    rules = result.experiment.rules
    counts = range(rules.looks[0].blocks, _MOST_BLOCKS + 1)
    enough = (
        blocks
        for blocks in counts
        if provable_noise(rules.equivalence, blocks, rules.last.alpha, floor=rules.floor) >= effect.deviation
    )
    needed = next(enough, None)
    if needed is None:
        return [f"to show that equal arms are equal would take more than {_MOST_BLOCKS} blocks with this noise"]
    if needed <= len(result.blocks):
        return []
    return [f"to show that equal arms are equal takes about {needed} blocks with this noise, or more trials per visit"]


def _noise(result: ExperimentResult) -> Sequence[str]:
    noise = result.noise
    if noise is None:
        return ()
    trial, visit = format_percent(noise.trial), format_percent(noise.visit)
    found = [
        f"noise: {trial} from trial to trial, {visit} besides from visit to visit ({count_of(noise.visits, 'visit')})"
    ]
    if noise.best_trials is not None and noise.trial_cost_s is not None and noise.visit_cost_s is not None:
        trial, visit = format_duration(noise.trial_cost_s), format_duration(noise.visit_cost_s)
        costs = f"a trial costs {trial}, a visit {visit} besides"
        found.append(f"{count_of(noise.best_trials, 'trial')} per visit tell most for their time: {costs}")
    return found
