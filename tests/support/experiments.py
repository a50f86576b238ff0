"""Experiments with measured visits, made up from numbers."""

from collections.abc import Mapping, Sequence

from sparktune.experiment.design import Arm, Block
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import Experiment, GuardMetric, Primary, VisitRecord, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.experiment.rules import Rules
from sparktune.model.cell import Cell
from sparktune.model.engine import EngineFacts
from sparktune.model.metric import MetricSummary
from sparktune.model.options import SendOptions
from sparktune.model.result import CellResult, RunResult
from sparktune.model.run import Provenance, Run
from sparktune.model.workload import Workload

CELLS = (
    Cell(prompt_tokens=64, output_tokens=32),
    Cell(prompt_tokens=64, output_tokens=32, concurrency=2),
)
Values = Mapping[str, Sequence[float | None]]
"""By metric, one value per trial."""


def experiment(
    *,
    cells: Sequence[Cell] = CELLS,
    blocks: int = 8,
    guards: Sequence[GuardMetric] = (),
    weights: Mapping[str, float] | None = None,
    aa: bool = False,
) -> Experiment:
    """Return an experiment on ``output_tok_s`` whose blocks alternate AB, BA."""
    return Experiment(
        id="e1",
        created_wall_s=1_700_000_000.0,
        name="slots",
        base_url="http://127.0.0.1:8000/v1",
        launcher="command",
        knob="parallel slots",
        arms={Arm.A: {"command": ["serve", "1"]}, Arm.B: {"command": ["serve", "4"]}},
        live={},
        workload=workload(cells),
        blocks=tuple(
            Block(
                number=number,
                visits=(Arm.A, Arm.B) if number % 2 else (Arm.B, Arm.A),
                cells=tuple(range(len(cells))),
            )
            for number in range(1, blocks + 1)
        ),
        primary=Primary(metric="output_tok_s", better=Better.HIGHER, weights=weights or {}),
        guards=tuple(guards),
        rules=Rules(),
        aa=aa,
    )


def workload(cells: Sequence[Cell]) -> Workload:
    """Return a workload of three trials."""
    return Workload(cells=tuple(cells), trials=3, options=SendOptions(model="m"))


def visit(
    block: int,
    arm: Arm,
    values: Mapping[Cell, Values],
    *,
    place: int = 0,
    attempt: int = 1,
    state: VisitState = VisitState.DONE,
    why: str = "",
) -> MeasuredVisit:
    """Return a visit with these values per cell."""
    record = VisitRecord(
        experiment_id="e1",
        block=block,
        attempt=attempt,
        place=place,
        arm=arm,
        state=state,
        started_wall_s=1_700_000_000.0 + 600 * block + 300 * place,
        ended_wall_s=1_700_000_200.0 + 600 * block + 300 * place,
        run_id=f"r{block}{arm.value}",
        why=why,
    )
    return MeasuredVisit(record=record, result=run_result(values, record.run_id))


def run_result(values: Mapping[Cell, Values], run_id: str = "r1") -> RunResult:
    """Return a run's result with these metrics."""
    engine = EngineFacts(name="llamacpp")
    provenance = Provenance(tool_version="0", python="3.11", kernel="6", machine="x", hostname="h", argv=())
    run = Run(
        id=run_id,
        created_wall_s=1_700_000_000.0,
        base_url="http://127.0.0.1:8000/v1",
        workload=workload(tuple(values)),
        engine=engine,
        provenance=provenance,
    )
    return RunResult(run=run, cells=tuple(_row(cell, metrics) for cell, metrics in values.items()))


def _row(cell: Cell, metrics: Values) -> CellResult:
    trials = max(len(values) for values in metrics.values())
    return CellResult(
        cell=cell,
        trials=trials,
        trials_asked=3,
        requests=trials * cell.concurrency,
        failures={},
        metrics=tuple(_summary(name, values) for name, values in metrics.items()),
        checks=(),
        valid=True,
    )


def _summary(name: str, values: Sequence[float | None]) -> MetricSummary:
    known = sorted(value for value in values if value is not None)
    return MetricSummary(
        name=name,
        title=name,
        unit="tok/s",
        median=known[len(known) // 2] if known else None,
        minimum=known[0] if known else None,
        maximum=known[-1] if known else None,
        n=len(known),
        trials=len(known),
        per_trial=tuple(values),
        why="" if known else "the server does not say",
    )
