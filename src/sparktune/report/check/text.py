"""The judgement for a terminal: the verdict first, its reason second, the next step third, then what it rests on."""

__all__ = ["check_text"]

import textwrap
from collections.abc import Iterator, Sequence

from sparktune.experiment.arms import ArmSummary
from sparktune.experiment.checks import ONE_ARM, all_table_checks
from sparktune.experiment.compare import Comparison, Way
from sparktune.experiment.table_verdict import Excluded, TableJudgement, TableVerdict
from sparktune.model.check import CheckResult, Status
from sparktune.report.bench.words import printable
from sparktune.report.check.words import change_words, effect_words, metric_title, reach_words, shape_words
from sparktune.units import count_of, format_rate, format_seconds

_COLOURS = {TableVerdict.VALID: "32;1", TableVerdict.INVALID: "31;1", TableVerdict.INCONCLUSIVE: "33;1"}
_INDENT = "  "
_SHOWN = 6
_MOST_CELLS = 24
_TOLD = ("output_tok_s", "decode_tok_s", "decode_total_tok_s", "ttft_s", "ttft_spread_s", "prefill_tok_s")


def check_text(judgement: TableJudgement, *, width: int = 100, color: bool = False) -> str:
    """Return the report for a terminal of ``width`` columns."""
    blocks = [
        _head(judgement, width, color=color),
        _section("Arms", [_arm(arm) for arm in judgement.arms] if len(judgement.arms) > 1 else [], width),
        _section(_effects_title(judgement), list(_effects(judgement)), width),
        _section("Cells", list(_cells(judgement)), width),
        _section("Left out", list(_left_out(judgement.excluded)), width),
        _section("Warnings", [_told(check) for check in _of(judgement, Status.WARN)], width),
        _section("In order", list(_in_order(judgement)), width),
        _section("Not evaluated: what they would need", list(_not_evaluated(judgement)), width),
        _section("Notes", list(judgement.table.notes[:_SHOWN]), width),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _head(judgement: TableJudgement, width: int, *, color: bool) -> str:
    word = judgement.verdict.value
    shown = f"\x1b[{_COLOURS[judgement.verdict]}m{word}\x1b[0m" if color else word
    table = judgement.table
    lines = [
        shown + reach_words(judgement).removeprefix(word),
        _wrapped(f"{table.name} ({table.source}, {count_of(len(table.rows), 'row')})", width),
    ]
    invalid = _of(judgement, Status.INVALID)
    reasons = [_told(check, hint=False) for check in invalid] or [judgement.why]
    lines += [_wrapped(reason, width) for reason in reasons]
    hints = list(dict.fromkeys(check.hint for check in invalid if check.hint)) or [judgement.takes]
    lines += [_wrapped(f"next: {hint}", width) for hint in hints if hint]
    return "\n".join(lines)


def _of(judgement: TableJudgement, status: Status) -> list[CheckResult]:
    return [check for check in judgement.checks if check.status is status]


def _told(check: CheckResult, *, hint: bool = True) -> str:
    titles = {known.id: known.title for known in all_table_checks()}
    title = f" {titles[check.id]}" if check.id in titles else ""
    after = f". Next: {check.hint}" if hint and check.hint else ""
    return f"{check.id}{title}: {check.evidence}{after}"


def _arm(arm: ArmSummary) -> str:
    metric = next(iter(arm.spreads), "")
    spread = arm.spreads.get(metric)
    trials = "nobody says of how many trials" if arm.trials is None else count_of(arm.trials, "trial")
    parts = [f"{arm.arm}: {count_of(arm.cells, 'cell')}, {trials}"]
    if spread is not None and arm.alike:
        low, middle, high = (_value(metric, value) for value in (spread.minimum, spread.median, spread.maximum))
        parts.append(f"{metric_title(metric)} {middle}" + (f" ({low} to {high})" if spread.n > 1 else ""))
    if arm.failed:
        parts.append(f"{count_of(arm.failed, 'request')} failed")
    if arm.apart:
        values = ", ".join(_value(metric, value) for value in arm.apart[:_SHOWN])
        parts.append(f"stands apart and is kept: {values}")
    if arm.outside:
        parts.append(f"outside all values of {', '.join(arm.outside[:_SHOWN])}, which one value cannot explain")
    return "; ".join(parts)


def _effects_title(judgement: TableJudgement) -> str:
    rules = sorted({rule for item in judgement.excluded for rule in item.rules})
    return f"Effect, without the rows that {', '.join(rules)} voids" if rules else "Effect"


def _effects(judgement: TableJudgement) -> Iterator[str]:
    found = (*judgement.comparisons, *judgement.observed)
    yield from (_effect(one, judgement) for one in found[:_MOST_CELLS])
    if len(found) > _MOST_CELLS:
        yield f"and {len(found) - _MOST_CELLS} more: see --json"
    yield from (f"{one.second} / {one.first}: not compared: {one.why}" for one in judgement.uncompared)


def _effect(found: Comparison, judgement: TableJudgement) -> str:
    head = f"{found.second} / {found.first}, {metric_title(found.metric)}: {found.ratio:.3f}"
    if found.low is not None and found.high is not None:
        head += f" [{found.low:.3f}, {found.high:.3f}]"
    parts = [f"{head}, {change_words(found.ratio)}: {effect_words(found, judgement)}"]
    if found.low is None:
        return parts[0]
    units = f"{_units(found)}, interval of {found.confidence * 100:.3g} %"
    parts.append(units + (", lower is better" if found.better.value == "lower" else ""))
    if found.way is Way.PROMPTS:
        parts.append(f"median change {change_words(found.median_ratio)}")
    if found.way is not Way.UNPAIRED:
        parts.append(f"{found.second} better in {found.wins} of {found.units}")
    return "; ".join(parts)


def _units(found: Comparison) -> str:
    words = {
        Way.PROMPTS: f"paired by {count_of(found.units, 'prompt')}",
        Way.BLOCKS: f"paired by {count_of(found.units, 'block')} in {count_of(found.cells, 'cell')}",
        Way.TRIALS: f"paired by {count_of(found.units, 'trial')} in {count_of(found.cells, 'cell')}",
        Way.UNPAIRED: f"{count_of(found.units, 'trial')} or more per arm in {count_of(found.cells, 'cell')}, unpaired",
        Way.CELLS: f"{count_of(found.units, 'cell')}, each as one value",
    }
    return words[found.way]


def _left_out(excluded: Sequence[Excluded]) -> Iterator[str]:
    """Name every row that is not in the effect, those of one shape together."""
    groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for item in excluded:
        streams = str(item.row.concurrency) if item.row.concurrency is not None else ""
        groups.setdefault(item.rules, {}).setdefault(shape_words(item.row), []).append(streams)
    for rules, shapes in groups.items():
        named = [
            f"{shape} x {', '.join(dict.fromkeys(found))}" if any(found) else shape for shape, found in shapes.items()
        ]
        more = f"; and {len(named) - _MOST_CELLS} more: see --json" if len(named) > _MOST_CELLS else ""
        yield f"by {', '.join(rules)}: {'; '.join(named[:_MOST_CELLS])}{more}"


def _in_order(judgement: TableJudgement) -> Iterator[str]:
    """Tell what was asked and answered."""
    yield from (_told(check) for check in judgement.evaluated if check.status is Status.OK)


def _not_evaluated(judgement: TableJudgement) -> Iterator[str]:
    """Tell what the table does not; questions about two arms are told in one line where there is one."""
    vacuous = [check for check in judgement.unevaluated if check.evidence == ONE_ARM]
    yield from (_told(check, hint=False) for check in judgement.unevaluated if check not in vacuous)
    if vacuous:
        yield f"{', '.join(check.id for check in vacuous)}: {ONE_ARM}"


def _cells(judgement: TableJudgement) -> Iterator[str]:
    """Tell the numbers of a table with one arm, and what stands out in a row."""
    cells = judgement.cells if len(judgement.arms) == 1 else ()
    for cell in cells[:_MOST_CELLS]:
        values = [f"{metric_title(name)} {_value(name, cell.values[name])}" for name in _TOLD if name in cell.values]
        streams = f" x {cell.row.concurrency}" if cell.row.concurrency is not None else ""
        told = ", ".join([*values, *([cell.row.note] if cell.row.note else [])])
        yield f"{shape_words(cell.row)}{streams} ({count_of(cell.n, 'value')}): {told or 'no number'}"
    if len(cells) > _MOST_CELLS:
        yield f"and {len(cells) - _MOST_CELLS} more: see --json"


def _section(title: str, lines: Sequence[str], width: int) -> str:
    return "\n".join([title, *(_wrapped(line, width) for line in lines)]) if lines else ""


def _value(metric: str, value: float) -> str:
    return format_seconds(value) if metric.endswith("_s") and not metric.endswith("tok_s") else format_rate(value)


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(
        printable(text),
        width=width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )
