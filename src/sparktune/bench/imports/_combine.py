"""Several files as one table: arms named by their files, or by what the files say themselves."""

__all__ = ["combine_tables"]

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparktune.bench.imports._shared import stem_of
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table

_MOST_ARMS = 50


def combine_tables(tables: Sequence[Table]) -> Table:
    """Return one table of all; a file without arms becomes one, named by the file. Needs at least one table.

    Raises UsageError for more arms than a person would compare: a column of something else was called arm.
    """
    combined = _combined(tables)
    arms = len({row.arm for row in combined.rows})
    if arms > _MOST_ARMS:
        message = f"{combined.name} has {arms:,} arms, at most {_MOST_ARMS} are compared"
        raise UsageError(message, hint="an arm is one of a few settings; name rows in label or prompt_id")
    return combined


def _combined(tables: Sequence[Table]) -> Table:
    results = [table for table in tables if table.rows]
    beside = [table for table in tables if not table.rows]
    if len(results) <= 1:
        first = results[0] if results else beside[0]
        return replace(first, facts={**_merged([(table.name, table) for table in beside]), **first.facts})
    named = [_named(table, name, results) for table, name in zip(results, _names(results), strict=True)]
    return Table(
        source=" + ".join(dict.fromkeys(table.source for table in named)),
        name=", ".join(table.name for table in named[:6]) + (f" and {len(named) - 6} more" if len(named) > 6 else ""),  # noqa: PLR2004
        rows=tuple(row for table in named for row in _numbered(table, named)),
        arms=tuple(dict.fromkeys(arm for table in named for arm in table.arms)),
        order=_order(named),
        settings={arm: found for table in named for arm, found in table.settings.items()},
        knob=next((table.knob for table in named if table.knob), ""),
        command="\n".join(dict.fromkeys(table.command for table in named if table.command)),
        facts=_merged([(", ".join(table.arms), table) for table in [*named, *beside]]),
        notes=tuple(f"{table.name}: {note}" for table in named for note in table.notes),
    )


def _names(tables: Sequence[Table]) -> list[str]:
    """Return the shortest names that tell the files apart."""
    for name in (stem_of, _with_folder):
        names = [name(table.name) for table in tables]
        if len(set(names)) == len(names):
            return names
    return [f"{stem_of(table.name)}#{place}" for place, table in enumerate(tables, 1)]


def _with_folder(name: str) -> str:
    return "/".join(name.split("/")[-2:]).rpartition(".")[0] or name


def _named(table: Table, name: str, tables: Sequence[Table]) -> Table:
    """Give a table arms that no other file has; a sweep's files say which arm they are a run of."""
    sweep = table.source == "vllm-bench" and bool(table.arms)
    taken = {arm for other in tables if other is not table for arm in other.arms}
    if table.arms and (sweep or not taken & set(table.arms)):
        return table
    arms = {arm: f"{name}:{arm}" for arm in table.arms} if table.arms else {"": name}
    return replace(
        table,
        rows=tuple(replace(row, arm=arms.get(row.arm, f"{name}:{row.arm}")) for row in table.rows),
        arms=tuple(arms.values()),
        settings={arms[arm]: found for arm, found in table.settings.items() if arm in arms},
        order=None,
    )


def _numbered(table: Table, tables: Sequence[Table]) -> Sequence[Row]:
    """Keep trials of one arm apart that come from files which do not number them."""
    alike = [other for other in tables if other.arms == table.arms]
    numbers = Counter((row.cell, row.label, row.trial) for other in alike for row in other.rows)
    if len(alike) == 1 or all(count == 1 for count in numbers.values()):
        return table.rows
    place = alike.index(table)
    most = max(row.trial or 1 for other in alike for row in other.rows)
    return [replace(row, trial=place * most + (row.trial or 1)) for row in table.rows]


def _order(tables: Sequence[Table]) -> tuple[str, ...] | None:
    """Return the arms in the order of their dates, where every file has one arm and a date."""
    if any(len(table.arms) != 1 or not table.facts.get("date") for table in tables):
        return None
    return tuple(table.arms[0] for table in sorted(tables, key=lambda table: table.facts["date"]))


def _merged(named: Sequence[tuple[str, Table]]) -> Mapping[str, str]:
    """Return facts that all files agree on by their name, the others with the arm before it."""
    values: dict[str, set[str]] = {}
    for _, table in named:
        for key, value in table.facts.items():
            values.setdefault(key, set()).add(value)
    return {
        (key if len(values[key]) == 1 else f"{arms}.{key}"): value
        for arms, table in named
        for key, value in table.facts.items()
    }
