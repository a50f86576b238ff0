"""Threads that poll: how many there are by verdict and what they cost, and whether what is pinned is so."""

__all__ = ["GROUP"]

from collections import Counter
from collections.abc import Iterator

from sparktune.model.pin import RuleState
from sparktune.model.place import Poller, PollerVerdict
from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape

_VERDICTS = (PollerVerdict.CERTAIN, PollerVerdict.LIKELY, PollerVerdict.UNDER_LOAD)


def _counts(seen: Seen) -> Iterator[Point]:
    for node, pollers in (seen.pollers or {}).items():
        found = Counter(map(_labels, pollers))
        # A zero for performance cores is known only where all of them could be told apart.
        kinds = ("performance", "efficiency") if all(one.core_kind for one in pollers) else ("unknown",)
        always = ((verdict.name.lower(), kind) for verdict in _VERDICTS for kind in kinds)
        for labels in sorted({*always, *found}):
            yield Point(float(found[labels]), (node, *labels))


def _cores(seen: Seen) -> Iterator[Point]:
    for node, pollers in (seen.pollers or {}).items():
        taken: dict[tuple[str, str], float] = {}
        for one in pollers:
            taken[_labels(one)] = taken.get(_labels(one), 0.0) + one.cores
        for labels, cores in sorted(taken.items()):
            yield Point(cores, (node, *labels))


def _labels(one: Poller) -> tuple[str, str]:
    return one.verdict.name.lower(), one.core_kind or "unknown"


def _pins(seen: Seen) -> Iterator[Point]:
    for node, rows in (seen.pins or {}).items():
        found = Counter(row.state for row in rows)
        for state in RuleState:
            yield Point(float(found[state]), (node, state.name.lower()))


def _unknown(seen: Seen) -> Iterator[Unknown]:
    for node, rows in (seen.pins or {}).items():
        for row in rows:
            if row.state is RuleState.UNREADABLE:
                yield Unknown(what=f"pin of {row.target}", node=node, why=row.why or "it could not be read")


GROUP = Group(
    title="Threads that poll",
    order=40,
    series=(
        Series(
            name="sparktune_busy_pollers",
            help="Threads that take a core always, by verdict of place scan and kind of core; only with --place.",
            labels=("node", "verdict", "core_kind"),
            read=_counts,
            alerts=(
                Alert(
                    name="SparktuneBusyPoller",
                    expr='sparktune_busy_pollers{verdict="certain",core_kind!="efficiency"} > 0',
                    holds="30m",
                    severity="warning",
                    summary="threads of {{ $labels.node }} that poll while nothing is to do: {{ $value }}",
                    runbook="Which, and the fix: sparktune place scan --nodes {{ $labels.node }}",
                ),
            ),
            panel=Panel(
                title="Threads that poll",
                expr="sparktune_busy_pollers",
                shape=Shape.LINES,
                legend="{{node}} {{verdict}} on {{core_kind}}",
            ),
        ),
        Series(
            name="sparktune_busy_poller_cores",
            help="What these threads take together, in cores; only with --place.",
            labels=("node", "verdict", "core_kind"),
            read=_cores,
        ),
        Series(
            name="sparktune_pins",
            help="Rules and pins of place pin by node and state.",
            labels=("node", "state"),
            read=_pins,
            alerts=(
                Alert(
                    name="SparktunePinLost",
                    expr='sparktune_pins{state=~"not_pinned|clipped"} > 0',
                    holds="15m",
                    severity="warning",
                    summary="pins of {{ $labels.node }} that are not so any more: {{ $value }} {{ $labels.state }}",
                    runbook="Which: sparktune place status --nodes {{ $labels.node }}",
                ),
            ),
            panel=Panel(
                title="Pins by state",
                expr='sparktune_pins{state!="ok"} > 0 or sparktune_pins{state="ok"}',
                shape=Shape.LINES,
                legend="{{node}} {{state}}",
            ),
        ),
    ),
    unknown=_unknown,
)
