"""Cells in which a metric is shown to be worse while its mean over all cells does not say so.

The declared test stays what it is: this looks beside it, at the primary and the guards, cell by cell. Each cell of each
metric is a question of its own, on one side, and each look asks it again; all of them share ``Rules.alpha``
(Bonferroni). So of experiments in which no cell is worse by its margin, at most that share is told of any, however many
cells there are and however they hang together; where the arms are the same, far fewer (``make sim`` prints how many).
"""

__all__ = ["cell_harms"]

from collections.abc import Iterator, Mapping, Sequence

from sparktune.experiment.effect import effect_of
from sparktune.experiment.plan import Experiment, GuardMetric
from sparktune.experiment.result import CellHarm, GuardResult, GuardStatus
from sparktune.experiment.rules import Look, Rules
from sparktune.experiment.verdict import Judgement, Verdict

_Ratios = Mapping[str, Sequence[float]]  # log ratios of blocks by the cell's label, above 0: arm B is better


def cell_harms(
    experiment: Experiment,
    judgement: Judgement,
    by_metric: Mapping[str, _Ratios],
    guards: Sequence[GuardResult],
    blocks: int,
) -> tuple[CellHarm, ...]:
    """Return the harm that means hide, the worst first; nothing between looks, and nothing where there is one cell.

    ``by_metric`` has the primary and the guards, each with the cells in which it is known in all of the ``blocks``.
    """
    look = _look(experiment.rules, blocks)
    if look is None or len(experiment.workload.cells) <= 1:
        return ()
    share = _share(experiment.rules, look, _asked(experiment))
    found: list[CellHarm] = []
    for asked in _hiding(experiment, judgement, guards):
        found += _of_metric(experiment, asked, by_metric.get(asked.metric, {}), share)
    return tuple(sorted(found, key=lambda harm: harm.effect.ratio))


def _look(rules: Rules, blocks: int) -> Look | None:
    return rules.last if blocks >= rules.last.blocks else rules.look_after(blocks)


def _asked(experiment: Experiment) -> int:
    """Return how many questions the plan has: one that was not answered makes the others no easier."""
    return len(experiment.workload.cells) * (1 + len(experiment.guards))


def _share(rules: Rules, look: Look, asked: int) -> float:
    """Return the error rate of one of so many questions at one look: all of them add up to what is allowed in all."""
    return rules.alpha * look.alpha / sum(one.alpha for one in rules.looks) / asked


def _hiding(experiment: Experiment, judgement: Judgement, guards: Sequence[GuardResult]) -> Iterator[GuardMetric]:
    """Yield the metrics whose mean is not said to be worse, with what may be lost of them."""
    rules, primary, effect = experiment.rules, experiment.primary, judgement.effect
    apart = judgement.verdict is Verdict.DIFFERENT and effect is not None and effect.ratio < 1
    if not apart and judgement.verdict is not Verdict.REGRESSED:
        least = rules.equivalence if rules.only_equivalence else rules.margin
        yield GuardMetric(metric=primary.metric, better=primary.better, margin=least)
    harmed = {guard.metric for guard in guards if guard.status is GuardStatus.HARMED}
    yield from (guard for guard in experiment.guards if guard.metric not in harmed)


def _of_metric(experiment: Experiment, asked: GuardMetric, by_cell: _Ratios, share: float) -> Iterator[CellHarm]:
    for cell, ratios in by_cell.items():
        effect = effect_of(ratios, alpha=2 * share, floor=experiment.rules.floor)
        if effect.high < 1 / (1 + asked.margin):
            yield CellHarm(
                metric=asked.metric,
                better=asked.better,
                cell=cell,
                margin=asked.margin,
                effect=effect,
                cells=len(experiment.workload.cells),
                asked=_asked(experiment),
                weighs=experiment.primary.weights.get(cell, 1.0) > 0,
            )
