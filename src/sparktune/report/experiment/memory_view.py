"""Which visit's memory is drawn, and with what."""

__all__ = ["memory_view"]

from sparktune.experiment.memory_curve import MemoryCurve, curves_by_visit
from sparktune.experiment.plan import VisitRecord
from sparktune.experiment.result import ExperimentResult
from sparktune.report.bench.words import one_line
from sparktune.report.charts.memory import MemoryLane, MemoryPicture


def memory_view(result: ExperimentResult) -> MemoryPicture | None:
    """Return the visit that a guard stopped, else the one with the least memory left; None where none was watched."""
    by_visit = curves_by_visit(result.curves)
    if not by_visit:
        return None
    records = {(one.record.block, one.record.attempt, one.record.place): one.record for one in result.visits}
    known = [key for key in by_visit if key in records]
    if not known:
        return None
    key = min(known, key=lambda key: (records[key].trip is None, min(curve.lowest for curve in by_visit[key])))
    record = records[key]
    again = f", attempt {record.attempt}" if record.attempt > 1 else ""
    return MemoryPicture(
        visit=f"block {record.block}, arm {record.arm.value}{again}",
        lanes=tuple(_lane(curve, record) for curve in by_visit[key]),
        floor=result.experiment.protection.limits.available_floor,
    )


def _lane(curve: MemoryCurve, record: VisitRecord) -> MemoryLane:
    zero = curve.points[0].at_s if curve.points else 0.0
    trip = record.trip if record.trip is not None and record.trip.node == curve.node else None
    return MemoryLane(
        node=one_line(curve.node),
        points=tuple((point.at_s - zero, point.available) for point in curve.points),
        swing=curve.swing,
        stopped=one_line(f"{trip.guard}: {trip.evidence}") if trip is not None else "",
    )
