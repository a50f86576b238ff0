"""Where predictions come from: the baseline's own visit, before that a run on the same server, and nothing else."""

from dataclasses import dataclass, field, replace

import pytest
from tests.support import swept
from tests.support.results import make_cell_result, make_metric, make_result
from tests.support.stored import make_run

from sparktune.errors import UsageError
from sparktune.flows.sweep import predict as sweep_predict
from sparktune.flows.sweep.predict import foretold, sweep_outcomes
from sparktune.model.prediction import Prediction
from sparktune.model.result import RunResult
from sparktune.model.run import Run, RunState
from sparktune.model.run_row import RunRow
from sparktune.model.sweep import BASELINE

_RESULT = swept.won()
_RECORD = replace(_RESULT.record, flags={"--speculative-config": '{"method":"mtp","num_speculative_tokens":5}'})
_KEYS = {"num_speculative_tokens=2", "num_speculative_tokens=3"}


@dataclass
class _Store:
    rows: list[RunRow] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def list_runs(self, limit: int, _unreadable: object) -> tuple[RunRow, ...]:
        return tuple(self.rows[:limit])

    def load_run(self, prefix: str) -> Run:
        self.asked.append(prefix)
        return replace(make_run(), id=prefix)


def _row(run_id: str, **changes: object) -> RunRow:
    row = RunRow(
        id=run_id, created_wall_s=1.0, base_url=_RESULT.experiment.base_url, model="m", engine="vllm",
        state=RunState.DONE, cells=1, waves=3, valid=1,
    )  # fmt: skip
    return replace(row, **changes)  # type: ignore[arg-type]


def _measured(shares: tuple[float, ...]) -> RunResult:
    metric = replace(make_metric("acceptance_per_position", (None,)), by_position=shares)
    return make_result(cells=(make_cell_result(metrics=(metric,)),))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> _Store:
    found = _Store()

    def rebuild(_store: object, run: Run) -> RunResult:
        if run.id == "old":
            message = "no engine is called so"
            raise UsageError(message)
        return _measured((0.8, 0.6) if run.id == "shallow" else (0.8, 0.6, 0.5, 0.4, 0.3))

    monkeypatch.setattr(sweep_predict, "rebuild", rebuild)
    return found


def _lengths(found: tuple[Prediction, ...]) -> set[str]:
    return {one.key for one in found if one.metric == "acceptance_length"}


def test_before_the_first_visit_a_run_on_the_same_server_tells(store: _Store) -> None:
    store.rows = [_row("other", base_url="http://elsewhere"), _row("killed", state=RunState.RUNNING), _row("old")]
    store.rows += [_row("good"), _row("older")]

    found = foretold(store, _RECORD, _RESULT.experiment)  # type: ignore[arg-type]

    assert store.asked == ["old", "good"]
    assert _lengths(found) == _KEYS


def test_drafts_of_another_depth_foretell_nothing(store: _Store) -> None:
    """A run of before may have been of another baseline: its positions would be held against the wrong length."""
    store.rows = [_row("shallow")]

    assert not _lengths(foretold(store, _RECORD, _RESULT.experiment))  # type: ignore[arg-type]


def test_without_a_run_nothing_is_foretold(store: _Store) -> None:
    assert foretold(store, _RECORD, _RESULT.experiment) == ()  # type: ignore[arg-type]


def test_afterwards_the_baselines_first_visit_tells_and_visits_stand_beside_it(store: _Store) -> None:
    store.rows = [_row("before")]
    found = sweep_outcomes(store, replace(_RESULT, record=_RECORD))  # type: ignore[arg-type]

    first = next(visit for visit in _RESULT.visits if visit.key == BASELINE)
    assert store.asked == [first.run_id]
    assert {one.prediction.key for one in found if one.prediction.metric == "acceptance_length"} == _KEYS
    assert all(one.why == "its visits have no acceptance_length" for one in found)
