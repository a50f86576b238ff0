"""Experiments with all that a report has to draw: made up from seeded noise, so that a page has something to show."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.support.experiments import experiment, run_result, visit

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, effect_of
from sparktune.experiment.noise import noise_of
from sparktune.experiment.plan import Experiment, GuardMetric, Primary, VisitState
from sparktune.experiment.result import CellHarm, ExperimentResult, MeasuredVisit
from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status
from sparktune.model.metric import MetricSummary
from sparktune.model.recording import StampSource
from sparktune.model.timeline import Failure, FailureType, Timeline
from sparktune.model.trial import ClientHealth, Phase, Request, Trial
from sparktune.report.experiment.material import Material, choose_wave

GRID = tuple(
    Cell(prompt_tokens=prompt, output_tokens=128, concurrency=streams)
    for prompt in (512, 2048, 8192)
    for streams in (1, 2, 4)
)
GUARDS = (
    GuardMetric(metric="ttft_s", better=Better.LOWER),
    GuardMetric(metric="decode_tok_s", better=Better.HIGHER, margin=0.05),
)
OBSERVED = {"tpot_s": Better.LOWER, "e2e_s": Better.LOWER, "ttft_spread_s": Better.LOWER, "goodput_rps": Better.HIGHER}
_BASE = {"output_tok_s": 60.0, "ttft_s": 0.4, "decode_tok_s": 31.0, "tpot_s": 0.032, "e2e_s": 4.2, "ttft_spread_s": 0.6}
_FACTOR = {
    "output_tok_s": 1.0,
    "ttft_s": -0.3,
    "decode_tok_s": 0.2,
    "tpot_s": -0.2,
    "e2e_s": -0.8,
    "ttft_spread_s": -2.0,
}
SERVER_WORDS = '<b>alert("x")</b> & \u202e]]> \x1b[31m'
"""What a server might say of itself, to be shown and not obeyed."""


def measured(
    plan: Experiment,
    *,
    blocks: int,
    gain: float,
    noise: float = 0.03,
    seed: int = 7,
    speculative: bool = True,
    sensors: bool = True,
    outlier: bool = False,
) -> tuple[MeasuredVisit, ...]:
    """Return visits in which arm B is ``gain`` (as a share) better in the cells with several streams."""
    draw = random.Random(seed)
    visits = []
    for block in plan.blocks[:blocks]:
        for place, arm in enumerate(block.visits):
            boot = draw.gauss(0, noise / 2)
            values = {
                cell: _values(
                    cell,
                    arm,
                    gain,
                    noise,
                    boot,
                    draw,
                    outlier=outlier and block.number == 4 and arm is Arm.B and cell.concurrency == 2,
                )
                for cell in plan.workload.cells
            }
            made = visit(block.number, arm, values, place=place)
            started = 1_700_000_000.0 + (2 * (block.number - 1) + place) * 420
            record = replace(
                made.record,
                started_wall_s=started,
                ended_wall_s=started + 400 - 9 * place,
                live_before={"parallel": "1" if arm is Arm.A else "4"},
                live_after={"parallel": "1" if arm is Arm.A else "4"},
                sensors=_sensors(block.number, place, draw) if sensors else {},
            )
            result = run_result(values, record.run_id)
            rows = tuple(
                replace(row, metrics=(*row.metrics, _positions(arm, draw))) if speculative else row
                for row in result.cells
            )
            visits.append(MeasuredVisit(record=record, result=replace(result, cells=rows)))
    return tuple(visits)


def concluded(
    plan: Experiment, visits: Sequence[MeasuredVisit], checks: Sequence[CheckResult] = ()
) -> ExperimentResult:
    """Return what the visits come to."""
    draw = random.Random(1)
    return conclude(plan, visits, checks, OBSERVED, lambda: draw.gauss(0, 1))


def harm() -> CellHarm:
    """Return a loss in one cell that a mean hides."""
    effect = effect_of([math.log(one) for one in (0.69, 0.7, 0.68)], alpha=0.01, floor=0.005)
    return CellHarm(
        metric="decode_min_tok_s",
        better=Better.HIGHER,
        cell="pp2048 tg128 c8",
        margin=0.1,
        effect=effect,
        cells=4,
        asked=8,
    )


def decided(*, blocks: int = 5, gain: float = 0.14) -> Material:
    """Return an experiment that was decided, with a visit that does not count, guards, sensors and recorded waves."""
    plan = experiment(cells=GRID, blocks=8, guards=GUARDS)
    visits = list(measured(plan, blocks=blocks, gain=gain, outlier=True))
    lost = visit(
        2, Arm.B, {GRID[0]: {"ttft_s": (0.4,)}}, state=VisitState.VOID, why="the server ended while it was measured"
    )
    lost = replace(
        lost,
        result=None,
        record=replace(lost.record, started_wall_s=1_700_000_000.0 + 808, ended_wall_s=1_700_000_838.0),
    )
    again = [replace(one, record=replace(one.record, attempt=2)) if one.record.block == 2 else one for one in visits]
    checks = (
        CheckResult(id="V01", status=Status.UNKNOWN, evidence="the server does not count cached tokens"),
        CheckResult(id="V08", status=Status.OK, evidence="AB BA AB BA AB: each arm first about as often"),
        CheckResult(
            id="V15", status=Status.WARN, evidence="c2 at 2,048 tokens moves against its neighbours", hint="look"
        ),
    )
    result = concluded(plan, (*again, lost), checks)
    result = replace(result, afterwards="arm B is set and was read back", notes=("no node was changed",))
    return with_waves(result)


def fairness() -> Material:
    """Return an experiment whose primary is better when it is less."""
    plan = experiment(cells=GRID[3:6], blocks=3, guards=(GuardMetric(metric="decode_tok_s", better=Better.HIGHER),))
    plan = replace(plan, primary=Primary(metric="ttft_s", better=Better.LOWER), name="two agents", knob="max in flight")
    return with_waves(concluded(plan, measured(plan, blocks=3, gain=0.8, noise=0.02, sensors=False, speculative=False)))


def invalid() -> Material:
    """Return an experiment that a check voids, with words of a server that are no words."""
    plan = replace(experiment(cells=GRID[:2], blocks=3), name=SERVER_WORDS, knob=SERVER_WORDS)
    cached = CheckResult(
        id="V01", status=Status.INVALID, evidence=f"91 % came from a cache {SERVER_WORDS}", hint="restart"
    )
    visits = measured(plan, blocks=3, gain=2.0, sensors=False)
    spoiled = [
        replace(one, record=replace(one.record, why=SERVER_WORDS, notes=(SERVER_WORDS,), sensors={SERVER_WORDS: 1.0}))
        for one in visits
    ]
    return Material(result=concluded(plan, spoiled, (cached,)))


def anecdote() -> Material:
    """Return an experiment of one block."""
    plan = experiment(blocks=8)
    return Material(result=concluded(plan, measured(plan, blocks=1, gain=0.3, sensors=False, speculative=False)))


def empty() -> Material:
    """Return an experiment in which nothing was measured yet."""
    return Material(result=concluded(experiment(), ()))


def huge() -> Material:
    """Return an experiment of 200 cells and eight blocks."""
    cells = tuple(
        Cell(prompt_tokens=128 * (1 + number // 10), output_tokens=128, concurrency=1 + number % 10)
        for number in range(200)
    )
    plan = experiment(cells=cells, blocks=8, guards=GUARDS)
    return with_waves(concluded(plan, measured(plan, blocks=8, gain=0.1)))


def with_waves(result: ExperimentResult) -> Material:
    """Add a recorded wave of each arm: A serves one prompt after the other, B two at a time."""
    chosen = choose_wave(result)
    waves = {} if chosen is None else {arm: wave(chosen.cell, arm) for arm in Arm}
    spans = {one.record.run_id: one.record.started_wall_s + 95 for one in result.visits if one.result is not None}
    return Material(result=result, waves=waves, measured_from=spans)


def wave(cell: Cell, arm: Arm) -> Trial:
    """Return a wave of a cell."""
    each = cell.prompt_tokens / 6000
    firsts = [
        each * (number + 1) if arm is Arm.A else 2 * each * (number // 2 + 1) + 0.01 * number
        for number in range(cell.concurrency)
    ]
    requests = tuple(_request(cell, number, first) for number, first in enumerate(firsts))
    health = ClientHealth(
        wall_s=9.0, cpu_ratio=0.1, lag_p99_s=None, lag_max_s=None, send_skew_s=0.0, cores=(0,), source=StampSource.USER
    )
    return Trial(
        cell=cell, index=0, phase=Phase.MEASURE, started_wall_s=1_700_000_100.0, requests=requests, health=health
    )


def _request(cell: Cell, number: int, first: float) -> Request:
    zero = 5_000_000_000
    chunks = tuple(zero + int((first + 0.03 * at) * 1e9) for at in range(cell.output_tokens))
    return Request(
        stream=number,
        prompt_sha256="ab" * 32,
        prompt_tokens_asked=cell.prompt_tokens,
        output_tokens_asked=cell.output_tokens,
        send_start_ns=zero + number * 1_000_000,
        send_end_ns=zero + number * 1_000_000 + 1000,
        end_ns=chunks[-1] + 1000,
        timeline=Timeline(status=200, output_ns=chunks),
    )


def _values(
    cell: Cell, arm: Arm, gain: float, noise: float, boot: float, draw: random.Random, *, outlier: bool
) -> Mapping[str, Sequence[float | None]]:
    effect = math.log1p(gain) * (cell.concurrency > 1) if arm is Arm.B else 0.0
    size = math.log(cell.prompt_tokens / 2048)
    found: dict[str, Sequence[float | None]] = {}
    for name, base in _BASE.items():
        shift = _FACTOR[name] * effect + (size * 0.9 if name in {"ttft_s", "e2e_s", "ttft_spread_s"} else -0.1 * size)
        found[name] = [
            base * math.exp(shift + boot + draw.gauss(0, noise) - (0.7 if outlier and trial == 0 else 0.0))
            for trial in range(3)
        ]
    return found


def _positions(arm: Arm, draw: random.Random) -> MetricSummary:
    shares = tuple(round(0.82 * 0.72**place + draw.gauss(0, 0.01), 4) for place in range(3 if arm is Arm.A else 5))
    return MetricSummary(
        name="acceptance_per_position",
        title="acceptance by position",
        unit="share",
        median=shares[1],
        minimum=shares[-1],
        maximum=shares[0],
        n=len(shares),
        trials=3,
        per_trial=(shares[1],) * 3,
        by_position=shares,
    )


def _sensors(block: int, place: int, draw: random.Random) -> Mapping[str, float]:
    warm = 52 + 9 * (1 - math.exp(-(2 * block + place) / 4))
    return {
        "spark1 temperature_c": round(warm + draw.gauss(0, 0.3), 1),
        "spark1 temperature_c@end": round(warm + 3 + draw.gauss(0, 0.3), 1),
        "spark1 mem_available_bytes": (61.0 - 0.4 * block) * 2**30,
    }


FAILURE = Failure(type=FailureType.STALL, detail=SERVER_WORDS)


def stopped() -> Material:
    """Return an experiment that a guard ended in its second block, of a workload with depths and weights."""
    cells = (
        Cell(prompt_tokens=512, output_tokens=64),
        Cell(prompt_tokens=512, output_tokens=64, depth=4096, concurrency=2),
    )
    plan = experiment(cells=cells, blocks=8, guards=GUARDS, weights={cells[0].label: 0.0})
    visits = measured(plan, blocks=2, gain=-0.2, speculative=False)
    last = visits[-1]
    ended = replace(
        last,
        result=None,
        record=replace(last.record, state=VisitState.STOPPED, why="memory below 3 GiB", ended_wall_s=None),
    )
    return with_waves(concluded(plan, (*visits[:-1], ended)))


def aa() -> Material:
    """Return an experiment of an arm against itself, with engines that count draft positions differently."""
    plan = replace(
        experiment(cells=GRID[:6], blocks=8, aa=True), arms={}, nodes=("spark1",), live={"parallel": {"x": [1]}}
    )
    result = concluded(plan, measured(plan, blocks=8, gain=0.0))
    return with_waves(replace(result, noise=noise_of(plan, result.visits)))
