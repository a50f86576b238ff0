"""A trial of a thread: its plan, its result for people, and as JSON of schema 1."""

__all__ = ["trial_json", "trial_plan_text", "trial_text"]

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from sparktune.experiment.difference import Difference
from sparktune.experiment.idle_result import IdleBlock, IdleResult, SensorEffect
from sparktune.experiment.idle_trial import IdleTrial, Sensor
from sparktune.experiment.load_cost import LoadCost
from sparktune.experiment.result import GuardResult
from sparktune.host.cpulist import format_cpulist
from sparktune.report.ab.harm_words import harm_lines, harm_records
from sparktune.report.ab.words import guard_words
from sparktune.report.bench.words import one_line
from sparktune.report.place.trial_words import TrialReport, first_words, next_steps, objections, thread_words
from sparktune.units import count_of, format_duration

_HOUR_S = 3600.0
_DIGITS = {Sensor.HEAT: 1, Sensor.POWER: 1, Sensor.CLOCK: 2, Sensor.CORES: 2}


def trial_plan_text(trial: IdleTrial, *, idle: str, load: str) -> str:
    """Say what would be done; ``idle`` and ``load`` say why a part is left out, "" when it is done."""
    before, cpus = (format_cpulist(frozenset(one)) for one in (trial.before, trial.cpus))
    lines = [
        f"trial {trial.id}: {thread_words(trial)}",
        f"  it is {one_line(trial.title)}",
        f"arm A, as it is: CPUs {before}; arm B, moved: CPUs {cpus}; in the end it has CPUs {before} again",
        *([f"at idle: not measured, {idle}"] if idle else _idle_plan(trial)),
        f"under load: {f'not measured, {load}' if load else _load_plan(trial)}",
        "nothing else is changed; Ctrl-C gives the thread back what it had, after a kill: sparktune place trial --undo",
    ]
    return "\n".join(lines) + "\n"


def trial_text(report: TrialReport) -> str:
    """Return the verdicts first, then what they rest on."""
    trial, idle, cost = report.trial, report.idle, report.cost
    lines = [first_words(report), *(harm_lines(cost.harms) if cost is not None else ())]
    lines.append(f"trial {trial.id}: {thread_words(trial)}")
    before, cpus = (format_cpulist(frozenset(one)) for one in (trial.before, trial.cpus))
    now = f"it MAY STILL HAVE CPUs {cpus}" if report.held else f"afterwards it has CPUs {before} again"
    lines.append(f"  A: CPUs {before}; B: CPUs {cpus}; {now}")
    if idle is not None:
        lines += _idle_lines(idle)
    if cost is not None:
        lines += _cost_lines(cost)
    lines += [f"next: {step}" for step in next_steps(report)]
    return "\n".join(lines) + "\n"


def trial_json(report: TrialReport) -> str:
    """Return the document; a part that was not measured is null, with its reason beside it."""
    trial, idle, cost = report.trial, report.idle, report.cost
    document = {
        "schema": 1,
        "trial": trial.id,
        "node": trial.node,
        "thread": asdict(trial.thread),
        "cpus": {name: format_cpulist(frozenset(one)) for name, one in (("a", trial.before), ("b", trial.cpus))},
        "held": report.held,
        "idle": _idle_record(idle) if idle is not None else None,
        "idle_why": report.why_idle if idle is None else "",
        "load": _cost_record(cost) if cost is not None else None,
        "load_why": report.why_load if cost is None else "",
        "objections": list(objections(cost)),
        "next": list(next_steps(report)),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _load_plan(trial: IdleTrial) -> str:
    most = count_of(len(trial.blocks), "block")
    return f"afterwards, an experiment of sparktune ab with requests to {one_line(trial.endpoint)}, {most} at most"


def _idle_plan(trial: IdleTrial) -> Iterator[str]:
    rules, visit_s = trial.rules, trial.settle_s + trial.window_s
    looks = [look.blocks for look in rules.looks if look.blocks <= len(trial.blocks)]
    order = " ".join("".join(arm.value for arm in block.visits) for block in trial.blocks)
    settle, window = format_duration(trial.settle_s), format_duration(trial.window_s)
    yield f"at idle: each visit waits {settle} and measures {window}; order {order} (seed {trial.seed})"
    least, most = (format_duration(2 * count * visit_s) for count in (min(looks, default=0), len(trial.blocks)))
    takes = f"takes {least} to {most}" if looks and looks[0] != len(trial.blocks) else f"takes {most}"
    when = f"a verdict after {' or '.join(map(str, looks))} blocks" if looks else "no verdict: below 3 blocks"
    yield f"  {takes}; {when}; send nothing meanwhile: a visit with work in it is made again"
    yield f"  decides: {trial.sensor}; worth having: {rules.margin:g} C; the same within {rules.equivalence:g} C"


def _idle_lines(idle: IdleResult) -> Iterator[str]:
    if idle.blocks:
        yield f"blocks, {idle.trial.sensor}, A and B:"
    for block in idle.blocks:
        order = "".join(arm.value for arm in block.order)
        yield f"  {block.number}  {order}  {block.first:.1f} C  {block.second:.1f} C  {block.difference:+z.1f} C"
    if idle.sensors:
        yield "all sensors, A -> B (only the first decides):"
    yield from (f"  {_sensor_words(one)}" for one in idle.sensors)
    if idle.blocks and not any(one.kind is Sensor.POWER for one in idle.sensors):
        yield "  power: the node tells none"
    if idle.drift is not None:
        moved, over = idle.drift * idle.drift_over_s / _HOUR_S, format_duration(idle.drift_over_s)
        rate = f"{idle.drift:+z.1f} C per hour"
        yield f"drift: with the thread as it is the node moved by {moved:+z.1f} C in {over} ({rate})"
    yield from (f"note: {flag}" for flag in idle.flags)
    if idle.voids:
        yield f"{count_of(len(idle.voids), 'visit')} did not count: {'; '.join(dict.fromkeys(idle.voids))}"


def _sensor_words(one: SensorEffect) -> str:
    digits, unit = _DIGITS[one.kind], one.kind.value
    if one.mean_a is None or one.mean_b is None:
        return f"{one_line(one.name)}: {one.why}"
    means = f"{one_line(one.name)}: {one.mean_a:.{digits}f} -> {one.mean_b:.{digits}f} {unit}"
    effect = one.effect
    if effect is None:
        return f"{means} ({one.why})"
    return f"{means}, {effect.mean:+.{digits}f} [{effect.low:+.{digits}f}, {effect.high:+.{digits}f}]"


def _cost_lines(cost: LoadCost) -> Iterator[str]:
    yield f"under load: experiment {cost.experiment}, {cost.verdict.value if cost.verdict else 'no verdict'}" + (
        f": {one_line(cost.why)}" if cost.why else ""
    )
    yield from (f"  guard: {guard_words(guard)}" for guard in cost.guards)


def _block_record(block: IdleBlock) -> Mapping[str, object]:
    return {
        "block": block.number,
        "order": "".join(arm.value for arm in block.order),
        "a_c": block.first,
        "b_c": block.second,
        "difference_c": block.difference,
    }


def _sensor_record(one: SensorEffect) -> Mapping[str, object]:
    return {
        "sensor": one.name,
        "unit": one.kind.value,
        "a": one.mean_a,
        "b": one.mean_b,
        "effect": _difference(one.effect),
        "why": one.why,
    }


def _idle_record(idle: IdleResult) -> Mapping[str, object]:
    trial = idle.trial
    return {
        "verdict": idle.verdict.value if idle.verdict is not None else None,
        "anecdote": idle.judgement.anecdote,
        "why": idle.why,
        "sensor": trial.sensor,
        "settle_s": trial.settle_s,
        "window_s": trial.window_s,
        "margin_c": trial.rules.margin,
        "equivalence_c": trial.rules.equivalence,
        "effect": _difference(idle.judgement.effect),
        "blocks": [_block_record(block) for block in idle.blocks],
        "sensors": [_sensor_record(one) for one in idle.sensors],
        "drift_c_per_h": idle.drift,
        "drift_over_s": idle.drift_over_s,
        "flags": list(idle.flags),
        "void_visits": list(idle.voids),
    }


def _difference(effect: Difference | None) -> Mapping[str, object] | None:
    return None if effect is None else asdict(effect)


def _cost_record(cost: LoadCost) -> Mapping[str, object]:
    return {
        "experiment": cost.experiment,
        "metric": cost.metric,
        "verdict": cost.verdict.value if cost.verdict is not None else None,
        "why": cost.why,
        "not_lower": cost.status.value,
        "margin_ratio": cost.margin,
        "effect": asdict(cost.effect) if cost.effect is not None else None,
        "guards": _guards(cost.guards),
        "cell_harms": harm_records(cost.harms),
    }


def _guards(guards: Sequence[GuardResult]) -> list[Mapping[str, object]]:
    return [
        {"metric": one.metric, "margin_ratio": one.margin, "status": one.status.value, "why": one.why} for one in guards
    ]
