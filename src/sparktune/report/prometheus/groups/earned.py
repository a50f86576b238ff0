"""Settings that were earned: the value that counts, whether its evidence is that of what runs, and the effect."""

__all__ = ["GROUP"]

from collections.abc import Iterator

from sparktune.drift.stale import Freshness, Judged
from sparktune.report.earned.words import short_value
from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape


def _settings(seen: Seen) -> Iterator[Point]:
    for one in seen.earned or ():
        yield Point(1.0, (_service(one), one.entry.knob, short_value(one.entry), one.freshness.value))


def _ratios(seen: Seen) -> Iterator[Point]:
    for one in seen.earned or ():
        found = one.entry.evidence
        if found.ratio is not None:
            yield Point(found.ratio, (_service(one), one.entry.knob, found.metric))


def _service(one: Judged) -> str:
    return one.entry.scope.service or ""


def _unknown(seen: Seen) -> Iterator[Unknown]:
    for one in seen.earned or ():
        if one.freshness is Freshness.UNKNOWN:
            yield Unknown(what=f"evidence of {one.entry.knob}", why="; ".join(one.unknown))


GROUP = Group(
    title="Earned settings",
    order=60,
    series=(
        Series(
            name="sparktune_earned_setting_info",
            help="1 for each setting of earned.yaml; evidence is current, stale (what runs is another), or unknown.",
            labels=("service", "key", "value", "evidence"),
            read=_settings,
            alerts=(
                Alert(
                    name="SparktuneEvidenceStale",
                    expr='sparktune_earned_setting_info{evidence="stale"} == 1',
                    holds="1d",
                    severity="info",
                    summary="{{ $labels.key }} was earned with something else than what runs now",
                    runbook="What changed, and how to measure it again: sparktune earned show {{ $labels.key }} --live",
                ),
            ),
            panel=Panel(title="Earned settings", expr="sparktune_earned_setting_info", shape=Shape.TABLE, width=14),
        ),
        Series(
            name="sparktune_earned_effect_ratio",
            help="How much better the value was than the one before it, by the experiment that earned it; 1 is equal.",
            labels=("service", "key", "metric"),
            read=_ratios,
        ),
    ),
    unknown=_unknown,
)
