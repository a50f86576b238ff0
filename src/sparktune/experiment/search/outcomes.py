"""Predictions beside what the visits of a sweep came to."""

__all__ = ["outcomes"]

import statistics
from collections.abc import Sequence

from sparktune.model.prediction import Outcome, Prediction
from sparktune.model.sweep import BASELINE, SweepVisit, VisitEnd

_LENGTH, _SPEED = "acceptance_length", "decode_tok_s"


def outcomes(predictions: Sequence[Prediction], visits: Sequence[SweepVisit]) -> tuple[Outcome, ...]:
    """Return each prediction with the median of what was measured.

    The step's ratio is (L / decode speed) of the configuration over that of the baseline, where visits have both.
    """
    return tuple(_outcome(one, visits) for one in predictions)


def _outcome(one: Prediction, visits: Sequence[SweepVisit]) -> Outcome:
    own = [visit for visit in visits if visit.key == one.key]
    measured = _median(own, one.metric)
    if measured is None:
        return Outcome(prediction=one, measured=None, why=_why(one, own))
    ratio = None
    if one.step_ratio is not None:
        mine, base = _step(own), _step([visit for visit in visits if visit.key == BASELINE])
        ratio = mine / base if mine is not None and base else None
    return Outcome(prediction=one, measured=measured, step_ratio=ratio)


def _why(one: Prediction, own: Sequence[SweepVisit]) -> str:
    if not own:
        return "it was not visited"
    last = own[-1]
    if last.end is not VisitEnd.MEASURED:
        return f"{last.end.value}: {last.why}" if last.why else last.end.value
    return f"its visits have no {one.metric}"


def _step(visits: Sequence[SweepVisit]) -> float | None:
    steps = [
        visit.metrics[_LENGTH] / visit.metrics[_SPEED]
        for visit in visits
        if visit.end is VisitEnd.MEASURED and visit.metrics.get(_SPEED, 0) > 0 and _LENGTH in visit.metrics
    ]
    return statistics.median(steps) if steps else None


def _median(visits: Sequence[SweepVisit], metric: str) -> float | None:
    values = [visit.metrics[metric] for visit in visits if visit.end is VisitEnd.MEASURED and metric in visit.metrics]
    return statistics.median(values) if values else None
