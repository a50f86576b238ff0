"""An experiment of our own as the table that anybody's results become, so that the same rules judge both."""

__all__ = ["table_of"]

from collections.abc import Iterator, Mapping, Sequence

from sparktune.experiment.arm_settings import arm_settings, differing
from sparktune.experiment.blocks import Pair, complete_blocks
from sparktune.experiment.design import Arm
from sparktune.experiment.lasting import lasting
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import MeasuredVisit
from sparktune.experiment.visit_checks import softened
from sparktune.model.result import CellResult
from sparktune.model.table import Row, Table

_AT_END = "@end"
_COMMAND = "command"  # the name under which a process's command line is read back


def table_of(experiment: Experiment, visits: Sequence[MeasuredVisit], voiding: frozenset[str]) -> Table:
    """Return every trial of every block that counts, and what was read back of both arms.

    ``voiding`` are the ids of cell checks that void this experiment; any other INVALID of a cell is a warning here.
    """
    blocks = complete_blocks(visits)
    counted = [visit for pair in blocks.values() for visit in pair.values()]
    in_time = sorted(counted, key=lambda visit: visit.record.started_wall_s)
    return Table(
        source="sparktune",
        name=experiment.id,
        rows=tuple(_rows(blocks, voiding)),
        arms=tuple(arm.value for arm in Arm),
        order=tuple(visit.record.arm.value for visit in in_time),
        settings=_settings(experiment, in_time),
        knob="" if experiment.aa else experiment.knob,
        facts=_facts(in_time),
    )


def _rows(blocks: Mapping[int, Pair], voiding: frozenset[str]) -> Iterator[Row]:
    for number, pair in blocks.items():
        for arm, visit in pair.items():
            for cell in visit.result.cells if visit.result is not None else ():
                checks = tuple(softened(check, voiding) for check in cell.checks)
                for trial in range(_trials(cell)):
                    yield Row(
                        # Rules about waves say nothing of requests that were not sent at once.
                        prompt_tokens=cell.cell.prompt_tokens if cell.cell.is_plain else None,
                        output_tokens=cell.cell.output_tokens,
                        depth=cell.cell.depth,
                        concurrency=cell.cell.concurrency,
                        arm=arm.value,
                        block=number,
                        trial=trial,
                        label=cell.cell.label,
                        warm=cell.cell.is_warm,
                        checks=checks,
                        values={**_values(cell, trial), **_start(visit.record.sensors)},
                    )


def _trials(cell: CellResult) -> int:
    return max((len(metric.per_trial) for metric in cell.metrics), default=0)


def _values(cell: CellResult, trial: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for metric in cell.metrics:
        value = metric.per_trial[trial] if trial < len(metric.per_trial) else None
        if value is not None:
            found[metric.name] = value
    return found


def _start(sensors: Mapping[str, float]) -> dict[str, float]:
    """Return how warm the hottest machine was when the visit began."""
    known = [value for name, value in sensors.items() if name.endswith("temperature_c")]
    return {"start_temp_c": max(known)} if known else {}


def _settings(experiment: Experiment, in_time: Sequence[MeasuredVisit]) -> dict[str, dict[str, str]]:
    """Return what was read back in each arm's first visit, and at the end of its last.

    What the arms were meant to differ in is one setting, by the name of the knob, however many readers saw it.
    """
    by_arm = {arm: [visit.record for visit in in_time if visit.record.arm is arm] for arm in Arm}
    if not all(by_arm.values()):
        return {}
    meant = [_expanded(records[0].live_wanted) for records in by_arm.values()]
    views = frozenset(differing(*meant))
    settings: dict[str, dict[str, str]] = {}
    for arm, records in by_arm.items():
        at_end = _gathered(experiment.knob, records[-1].live_after, views)
        settings[arm.value] = {
            **_gathered(experiment.knob, records[0].live_before, views),
            **{f"{name}{_AT_END}": value for name, value in at_end.items()},
        }
    return settings


def _gathered(knob: str, live: Mapping[str, str], views: frozenset[str]) -> dict[str, str]:
    expanded = _expanded(lasting(live))
    seen = " ".join(f"{name} {value}" for name, value in expanded.items() if name in views)
    rest = {name: value for name, value in expanded.items() if name not in views}
    return {knob: seen, **rest} if seen else rest


def _expanded(live: Mapping[str, str]) -> dict[str, str]:
    """Return what was read, with a process's command line flag by flag."""
    rest = {name: value for name, value in live.items() if name != _COMMAND}
    return {**arm_settings({_COMMAND: live[_COMMAND]}), **rest} if _COMMAND in live else rest


def _facts(in_time: Sequence[MeasuredVisit]) -> dict[str, str]:
    result = next((visit.result for visit in in_time if visit.result is not None), None)
    if result is None:
        return {}
    run = result.run
    facts = {"engine": run.engine.name, "model": run.workload.options.model}
    return {**facts, "version": run.engine.version} if run.engine.version else facts
