"""The progress line is what a person plans the evening by: it must count what is really left, and invent no speed."""

from tests.support.trials import make_trial

from sparktune.flows.bench.progress import SilentProgress, WaveView
from sparktune.flows.bench.tracker import Tracker
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.model.cell import Cell
from sparktune.model.trial import Phase, Trial
from sparktune.model.warmup import WarmupPlan
from sparktune.units import NS_PER_S

FIRST = Cell(prompt_tokens=100, output_tokens=10)
SECOND = Cell(prompt_tokens=100, output_tokens=10, concurrency=2)


class _Listener(SilentProgress):
    def __init__(self) -> None:
        self.views: list[WaveView] = []

    def wave(self, view: WaveView) -> None:
        self.views.append(view)


def _load(received: int) -> LoadProgress:
    return LoadProgress(bytes_received=received, reads=1, open_streams=1, finished=0)


def _two_seconds(cell: Cell, phase: Phase) -> Trial:
    streams = [{"outputs": [1000, 2000], "tokens": [1, 9], "end": 2000}] * cell.concurrency
    return make_trial({"streams": streams}, cell=cell, phase=phase)


def _look(tracker: Tracker, cell: Cell = FIRST, phase: Phase = Phase.MEASURE) -> None:
    tracker.look(cell, phase, _load(0), NS_PER_S)


def test_time_left_counts_the_warm_up_that_is_to_come() -> None:
    """Without it, a run promised seconds that became a minute."""
    listener = _Listener()
    tracker = Tracker(listener, {FIRST: 2, SECOND: 2}, 0, WarmupPlan(waves=3))
    tracker.began(FIRST, Phase.WARMUP)
    tracker.finished(_two_seconds(FIRST, Phase.WARMUP), 1000)
    _look(tracker, phase=Phase.WARMUP)
    first_cell, second_cell = (2 + 2) * 2.0, (2 + 3) * (1.0 * 2 + 1.0)

    assert listener.views[-1].left_s == first_cell + second_cell
    assert (listener.views[-1].waves_done, listener.views[-1].waves_total) == (0, 4)


def test_measuring_ends_the_warm_up_of_its_cell_and_teaches_how_long_it_takes() -> None:
    listener = _Listener()
    tracker = Tracker(listener, {FIRST: 1, SECOND: 1}, 0, WarmupPlan())
    for phase in (Phase.WARMUP, Phase.WARMUP, Phase.MEASURE):
        tracker.began(FIRST, phase)
        tracker.finished(_two_seconds(FIRST, phase), 1000)
    tracker.began(SECOND, Phase.WARMUP)
    _look(tracker, SECOND, Phase.WARMUP)

    assert listener.views[-1].left_s == (1 + 2) * (1.0 * 2 + 1.0)
    assert listener.views[-1].waves_done == 1


def test_a_cell_that_is_given_up_is_left_out() -> None:
    listener = _Listener()
    tracker = Tracker(listener, {FIRST: 3, SECOND: 1}, 1, WarmupPlan(waves=0))
    tracker.skipped(FIRST)
    _look(tracker, SECOND)

    assert (listener.views[-1].waves_done, listener.views[-1].waves_total) == (1, 2)


def test_a_rate_needs_two_looks_at_output_of_the_same_wave() -> None:
    """Waiting for the first token, and the time between two waves, are not slow output."""
    listener = _Listener()
    tracker = Tracker(listener, {FIRST: 3}, 0, WarmupPlan(waves=0))
    tracker.finished(_two_seconds(FIRST, Phase.MEASURE), 1000)  # 10 tokens in 1,000 bytes
    tracker.began(FIRST, Phase.MEASURE)
    tracker.look(FIRST, Phase.MEASURE, _load(0), 10 * NS_PER_S)
    tracker.look(FIRST, Phase.MEASURE, _load(500), 20 * NS_PER_S)
    tracker.look(FIRST, Phase.MEASURE, _load(2500), 21 * NS_PER_S)
    tracker.began(FIRST, Phase.MEASURE)
    tracker.look(FIRST, Phase.MEASURE, _load(3000), 30 * NS_PER_S)

    assert [view.tok_s for view in listener.views] == [None, None, 20.0, None]


def test_loading_a_context_has_no_rate() -> None:
    listener = _Listener()
    tracker = Tracker(listener, {FIRST: 3}, 0, WarmupPlan(waves=0))
    tracker.finished(_two_seconds(FIRST, Phase.MEASURE), 1000)
    tracker.began(FIRST, Phase.CONTEXT)
    for second in (1, 2):
        tracker.look(FIRST, Phase.CONTEXT, _load(1000 * second), second * NS_PER_S)

    assert listener.views[-1].tok_s is None
