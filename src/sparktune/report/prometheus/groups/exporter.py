"""The exporter itself: its version, when each part was asked last, how long that took, and what could not be known."""

__all__ = ["GROUP"]

from collections.abc import Iterator

from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape


def _version(seen: Seen) -> Iterator[Point]:
    yield Point(1.0, (seen.version,))


def _ended(seen: Seen) -> Iterator[Point]:
    for part in seen.parts:
        yield Point(part.ended_wall_s, (part.id,))


def _took(seen: Seen) -> Iterator[Point]:
    for part in seen.parts:
        yield Point(part.took_s, (part.id,))


def _failed(seen: Seen) -> Iterator[Point]:
    for part in seen.parts:
        yield Point(1.0 if part.failure else 0.0, (part.id,))


def _none(_: Seen) -> Iterator[Point]:
    """Yield nothing: these points are what all groups say that they do not know."""
    yield from ()


def _unknown(seen: Seen) -> Iterator[Unknown]:
    yield from seen.missing
    for part in seen.parts:
        if part.failure:
            yield Unknown(what=part.id, why=part.failure)


UNKNOWN = Series(
    name="sparktune_unknown",
    help="1 for each thing that could not be known, with the reason; its own series is absent meanwhile.",
    labels=("what", "node", "why"),
    read=_none,
    panel=Panel(title="What is not known, and why", expr="sparktune_unknown", shape=Shape.TABLE, width=16),
)

GROUP = Group(
    title="The exporter",
    order=80,
    series=(
        UNKNOWN,
        Series(
            name="sparktune_part_asked_timestamp_seconds",
            help="When the part was asked last, also when that failed; time() less this is the age of what is shown.",
            labels=("part",),
            read=_ended,
            alerts=(
                Alert(
                    name="SparktuneStale",
                    expr="time() - sparktune_part_asked_timestamp_seconds > 1800",
                    holds="5m",
                    severity="warning",
                    summary="what is shown of {{ $labels.part }} is {{ $value | humanizeDuration }} old",
                    runbook="Look at the exporter's timer or service, and run it by hand: sparktune export prometheus",
                ),
                Alert(
                    name="SparktuneAbsent",
                    expr="absent(sparktune_exporter_info)",
                    holds="15m",
                    severity="warning",
                    summary="sparktune export tells nothing at all",
                    runbook="Look at the exporter's timer or service, and run it by hand: sparktune export prometheus",
                ),
            ),
            panel=Panel(
                title="Age of what is shown",
                expr="time() - sparktune_part_asked_timestamp_seconds",
                shape=Shape.STAT,
                unit="s",
                legend="{{part}}",
                width=8,
                steps=((0, "green"), (1800, "red")),
            ),
        ),
        Series(
            name="sparktune_part_duration_seconds",
            help="How long asking the part took.",
            labels=("part",),
            read=_took,
        ),
        Series(
            name="sparktune_part_failed",
            help="Whether asking the part came to nothing: 1 or 0; sparktune_unknown has the reason.",
            labels=("part",),
            read=_failed,
            alerts=(
                Alert(
                    name="SparktunePartFailed",
                    expr="sparktune_part_failed == 1",
                    holds="15m",
                    severity="warning",
                    summary="{{ $labels.part }} could not be asked",
                    runbook="The reason is in sparktune_unknown, and here: sparktune export prometheus --json",
                ),
            ),
        ),
        Series(
            name="sparktune_exporter_info",
            help="1, with the version of sparktune that told all this.",
            labels=("version",),
            read=_version,
        ),
    ),
    unknown=_unknown,
)
