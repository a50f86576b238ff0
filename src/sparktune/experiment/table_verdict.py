"""The verdict on a table of results: what voids it, what can be said of its arms, and what it would take to decide."""

__all__ = ["Excluded", "TableJudgement", "TableVerdict", "judge_table"]

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sparktune.experiment.arms import ArmSummary, CellSummary, cells_of, summarise
from sparktune.experiment.checks import ONE_ARM, all_table_checks
from sparktune.experiment.compare import Comparison, Way, compare_arms, metrics_of
from sparktune.experiment.planning import smallest_detectable
from sparktune.experiment.rules import ANECDOTE_BELOW
from sparktune.experiment.uncompared import Uncompared, uncompared
from sparktune.model.check import CheckResult, Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext

_ALPHA = 0.05
_EQUIVALENT = 0.05
_BLOCKS = 5
_RANK = {Status.OK: 0, Status.UNKNOWN: 1, Status.WARN: 2, Status.INVALID: 3}


class TableVerdict(Enum):
    """VALID: nothing speaks against the numbers, and they decide. INVALID: a rule voids them."""

    VALID = "VALID"
    INVALID = "INVALID"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A row that no effect is estimated with, and the rules that void it."""

    row: Row
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableJudgement:
    """``why`` explains the verdict in one line; ``takes`` says what it would take to decide, "" when it is decided.

    ``comparisons`` are those of the metric that decides, the first arm with every other; ``observed`` those of further
    metrics, which decide nothing. ``uncompared`` are the arms for which there is neither.
    """

    table: Table
    verdict: TableVerdict
    why: str
    takes: str
    checks: tuple[CheckResult, ...]
    excluded: tuple[Excluded, ...]
    arms: tuple[ArmSummary, ...]
    cells: tuple[CellSummary, ...]
    comparisons: tuple[Comparison, ...]
    observed: tuple[Comparison, ...]
    uncompared: tuple[Uncompared, ...]

    @property
    def evaluated(self) -> tuple[CheckResult, ...]:
        """The rules that had something to look at, and an answer."""
        return tuple(check for check in self.checks if check not in self.unevaluated)

    @property
    def unevaluated(self) -> tuple[CheckResult, ...]:
        """The rules that say nothing: the table does not tell what they need, or they ask about a second arm."""
        return tuple(check for check in self.checks if check.status is Status.UNKNOWN or check.evidence == ONE_ARM)


def judge_table(table: Table, context: TableContext | None = None) -> TableJudgement:
    """Judge a table by all rules, then estimate effects with what they leave."""
    known = context or TableContext()
    checks = tuple(_with_own(check.run(table, known), table) for check in all_table_checks()) + _further(table)
    void = {check.id: check.voids(table, known) for check in all_table_checks()}
    excluded = _excluded(table, {**void, **_own_voids(table, void)})
    places = frozenset(place for place, _ in excluded)
    arms = table.measured_arms
    alpha = _ALPHA / max(1, len(arms) - 1)  # several comparisons with one arm share the error rate
    pairs = [(arms[0], arm) for arm in arms[1:]]
    found = [_compared(table, pair, places, alpha) for pair in pairs]
    comparisons = tuple(metrics[0] for metrics in found if metrics)
    left = [uncompared(table, pair, places) for pair, metrics in zip(pairs, found, strict=True) if not metrics]
    verdict, why = _verdict(table, checks, pairs, comparisons)
    return TableJudgement(
        table=table,
        verdict=verdict,
        why="; ".join([why, *(f"{one.second} is not compared: {one.why}" for one in left if comparisons)]),
        takes="" if verdict is TableVerdict.VALID else _takes(checks, comparisons, two=len(arms) > 1),
        checks=checks,
        excluded=tuple(item for _, item in excluded),
        arms=tuple(summarise(table, arm) for arm in arms),
        cells=cells_of(table),
        comparisons=comparisons,
        observed=tuple(comparison for metrics in found for comparison in metrics[1:]),
        uncompared=tuple(left),
    )


def _compared(table: Table, pair: tuple[str, str], void: frozenset[int], alpha: float) -> list[Comparison]:
    found = []
    for metric in metrics_of(table, pair):
        try:
            comparison = compare_arms(table, pair, metric, void=void, alpha=alpha)
        except ArithmeticError:
            continue
        if comparison is not None:
            found.append(comparison)
    return found


def _with_own(result: CheckResult, table: Table) -> CheckResult:
    """Return the worse of a rule's answer and what the source itself found out about its rows."""
    own = [check for row in table.rows for check in row.checks if check.id == result.id]
    known = [check for check in own if check.status is not Status.UNKNOWN]
    candidates = known if result.status is Status.UNKNOWN else [*known, result]
    return max(candidates or [result], key=lambda check: _RANK[check.status])


def _further(table: Table) -> tuple[CheckResult, ...]:
    """Return the answers of cells to questions that no rule of tables asks, the worst of each."""
    asked = {check.id for check in all_table_checks()}
    found: dict[str, CheckResult] = {}
    for row in table.rows:
        for check in row.checks:
            worse = check.id not in found or _RANK[check.status] > _RANK[found[check.id].status]
            if check.id not in asked and worse:
                found[check.id] = check
    return tuple(found[check_id] for check_id in sorted(found))


def _own_voids(table: Table, void: dict[str, frozenset[int]]) -> dict[str, frozenset[int]]:
    found = dict(void)
    for place, row in enumerate(table.rows):
        for check in row.checks:
            if check.status is Status.INVALID:
                found[check.id] = found.get(check.id, frozenset()) | {place}
    return found


def _excluded(table: Table, void: dict[str, frozenset[int]]) -> list[tuple[int, Excluded]]:
    rules = {
        place: tuple(sorted(check_id for check_id, places in void.items() if place in places))
        for place in range(len(table.rows))
    }
    return [(place, Excluded(row=table.rows[place], rules=ids)) for place, ids in rules.items() if ids]


def _verdict(
    table: Table,
    checks: Sequence[CheckResult],
    pairs: Sequence[tuple[str, str]],
    comparisons: Sequence[Comparison],
) -> tuple[TableVerdict, str]:
    invalid = [check for check in checks if check.status is Status.INVALID]
    if invalid:
        return TableVerdict.INVALID, "; ".join(f"{check.id}: {check.evidence}" for check in invalid)
    limit = _limit(table, checks, pairs, comparisons)
    if limit:
        return TableVerdict.INCONCLUSIVE, limit
    if not pairs:
        return TableVerdict.VALID, "no rule that could be evaluated speaks against these numbers"
    found, why = _of_effects(comparisons)
    order = next((check for check in checks if check.id == "V08"), None)
    if found is TableVerdict.VALID and order is not None and order.status is Status.UNKNOWN:
        why += "; that the setting made the difference, and not the hour or a start, is not shown: see V08"
    return found, why


def _limit(
    table: Table,
    checks: Sequence[CheckResult],
    pairs: Sequence[tuple[str, str]],
    comparisons: Sequence[Comparison],
) -> str:
    """Return what keeps numbers that no rule voids from a verdict, "" when nothing does."""
    if not any(row.values for row in table.rows):
        return "there are no results in it, only what goes with them"
    if pairs and not comparisons:
        return "no cell has the same metric in both arms: there is nothing to compare"
    gaps = next((found for found in comparisons if found.lacking), None)
    if gaps is not None:
        return _gap_words(gaps)
    limiting = (
        next((check for check in checks if check.label in {"anecdote", "untold"}), None),
        next((check for check in checks if check.label == "undecided"), None),
        next((check for check in checks if check.label == "observational"), None),
    )
    return next((check.evidence for check in limiting if check is not None), "")


def _gap_words(found: Comparison) -> str:
    rows = "1 row" if found.lacking == 1 else f"{found.lacking} rows"
    have = "has" if found.lacking == 1 else "have"
    return (
        f"{rows} of {found.first} and {found.second} {have} no {found.metric} above 0: an effect without them would be "
        "that of what went well"
    )


def _of_effects(comparisons: Sequence[Comparison]) -> tuple[TableVerdict, str]:
    enough = [found for found in comparisons if found.units >= ANECDOTE_BELOW]
    clear = [found for found in enough if found.detectable]
    alike = [found for found in enough if not found.detectable and _is_equivalent(found)]
    open_ = [found for found in comparisons if found not in clear and found not in alike]
    if not enough:
        return TableVerdict.INCONCLUSIVE, _few_words(max(found.units for found in comparisons))
    if not clear and not alike:
        return TableVerdict.INCONCLUSIVE, "no detectable effect: the interval includes 1"
    words = [f"{found.second} is {'better' if found.improved else 'worse'} than {found.first}" for found in clear]
    words += [f"{found.second} is within 5 % of {found.first}" for found in alike]
    words += [f"{found.second} and {found.first} cannot be told apart" for found in open_]
    return TableVerdict.VALID, "; ".join(words)


def _few_words(units: int) -> str:
    """Say that cells were measured often enough, but each is told as one value, and those are too few."""
    told = "one cell, told as one value" if units == 1 else f"{units} cells, each told as one value"
    return f"{told}: how far trials differ is not in the table, and fewer than {ANECDOTE_BELOW} values decide nothing"


def _is_equivalent(found: Comparison) -> bool:
    if found.low is None or found.high is None:
        return False
    return found.low > 1 / (1 + _EQUIVALENT) and found.high < 1 + _EQUIVALENT


def _takes(checks: Sequence[CheckResult], comparisons: Sequence[Comparison], *, two: bool) -> str:
    """Say what would decide: first what the rules that void ask for, then how many trials."""
    invalid = [check.hint for check in checks if check.status is Status.INVALID and check.hint]
    if invalid:
        return invalid[0]
    undecided = next((check.hint for check in checks if check.label == "undecided"), "")
    if undecided and not any(check.label == "anecdote" for check in checks):
        return undecided
    if any(found.lacking for found in comparisons):
        return "every value, or how many requests failed (failed_requests); then both arms measured again"
    if not two:
        return f"at least {ANECDOTE_BELOW} trials of every cell, warmed up"
    blocks = f"at least {ANECDOTE_BELOW}, better {_BLOCKS} blocks of both arms in turn: sparktune ab"
    prompts = [found for found in comparisons if found.way is Way.PROMPTS and found.deviation]
    paired = [found for found in comparisons if found.way is Way.BLOCKS and found.deviation]
    if prompts:
        most = max(prompts, key=lambda found: found.deviation or 0.0)
        return f"several runs of every prompt, in turn{_would_find(most, most.units, 'prompts')}"
    return blocks + (
        _would_find(max(paired, key=lambda found: found.deviation or 0.0), _BLOCKS, "blocks") if paired else ""
    )


def _would_find(found: Comparison, count: int, noun: str) -> str:
    if not found.deviation or found.deviation > 1 or count < ANECDOTE_BELOW:
        return ""
    smallest = smallest_detectable(found.deviation, count, _ALPHA)
    return f" ({count} {noun} that differ as these do find {smallest * 100:.0f} % in four of five cases)"
