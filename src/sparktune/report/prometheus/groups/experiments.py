"""The last experiments of the store: what each came to, and whether something that it set is still there."""

__all__ = ["GROUP"]

from collections.abc import Iterator

from sparktune.model.experiment_row import ExperimentRow
from sparktune.report.prometheus.seen import Seen
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape


def _verdicts(seen: Seen) -> Iterator[Point]:
    for row in seen.experiments or ():
        verdict = row.verdict or "none"
        yield Point(1.0, (row.id, row.name or row.knob, row.knob, row.metric, row.state.value, verdict, row.caveat))


def _created(seen: Seen) -> Iterator[Point]:
    for row in seen.experiments or ():
        yield Point(row.created_wall_s, _named(row))


def _holds(seen: Seen) -> Iterator[Point]:
    for row in seen.experiments or ():
        yield Point(1.0 if row.holds else 0.0, _named(row))


def _named(row: ExperimentRow) -> tuple[str, ...]:
    return row.id, row.name or row.knob


GROUP = Group(
    title="Last experiments",
    order=70,
    series=(
        Series(
            name="sparktune_experiment_info",
            help="1 for each of the last experiments; verdict is none while there is none, "
            "caveat what stands against acting on it.",
            labels=("experiment", "name", "knob", "metric", "state", "verdict", "caveat"),
            read=_verdicts,
            panel=Panel(title="Last experiments", expr="sparktune_experiment_info", shape=Shape.TABLE, width=10),
        ),
        Series(
            name="sparktune_experiment_created_timestamp_seconds",
            help="When the experiment began.",
            labels=("experiment", "name"),
            read=_created,
        ),
        Series(
            name="sparktune_experiment_holds",
            help="Whether something that the experiment started or applied has not been taken back: 1 or 0.",
            labels=("experiment", "name"),
            read=_holds,
            alerts=(
                Alert(
                    name="SparktuneExperimentLeftSomething",
                    # One that was killed stays "running": after a day nobody believes that.
                    expr="sparktune_experiment_holds == 1 unless on (experiment) "
                    '(sparktune_experiment_info{state="running"} and on (experiment) '
                    "time() - sparktune_experiment_created_timestamp_seconds < 86400)",
                    holds="30m",
                    severity="warning",
                    summary="experiment {{ $labels.name }} ended, and something that it set is still there",
                    runbook="Take it back: sparktune ab resume {{ $labels.experiment }}",
                ),
            ),
        ),
    ),
)
