"""V17: the numbers are not of the command that is shown beside them.

Looks at: the lists of ``--pp``, ``--tg``, ``--depth`` and ``--concurrency`` in the commands, and the table's cells.
Warns when: a cell is in none of the commands.
Invalid when: never: the numbers may be right, but nobody can repeat them.
Unknown when: no command is told, or it has none of these lists.
Source: the flags of llama-benchy and of ``sparktune bench``, which are the same.
"""

__all__ = ["TABLE_CHECK"]

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparktune.experiment.checks._shared import Finding, grouped, key_of, listed, make_table_check, unknown
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import count_of

_FLAGS = {"pp": "prompt_tokens", "tg": "output_tokens", "depth": "depth", "concurrency": "concurrency"}
_LIST = re.compile(r"--(pp|tg|depth|concurrency)[ =]+((?:\d{1,12}[ ,]*)+)")
_DEFAULTS = {"depth": {0}, "concurrency": {1}}
_HINT = "give the command of these very numbers, so that somebody can repeat them"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    grids = [grid for line in table.command.splitlines() if (grid := _grid(line))]
    if not grids:
        return [unknown("it needs the command, in a line # command: llama-benchy --pp ... --tg ...")]
    outside = [replace(row, arm="") for row in table.rows if not any(_is_of(row, grid) for grid in grids)]
    if not outside:
        return [Finding(status=Status.OK, evidence="every cell is one of the command")]
    cells, commands = len({key_of(row) for row in outside}), len(grids)
    where = f"in none of the {commands} commands" if commands > 1 else "not in the command"
    evidence = f"{count_of(cells, 'cell')} {where}: {listed(grouped(outside), 6)}"
    return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT)]


def _grid(command: str) -> Mapping[str, set[int]]:
    found = {
        _FLAGS[flag]: {int(part) for part in re.findall(r"\d+", numbers)} for flag, numbers in _LIST.findall(command)
    }
    return {**_DEFAULTS, **found} if found else {}


def _is_of(row: Row, grid: Mapping[str, set[int]]) -> bool:
    cell = {
        "prompt_tokens": row.prompt_tokens,
        "output_tokens": row.output_tokens,
        "depth": row.depth,
        "concurrency": row.concurrency,
    }
    return all(value is None or value in grid[name] for name, value in cell.items() if name in grid)


TABLE_CHECK = make_table_check("V17", "numbers of the command shown", _judge, source="flags of llama-benchy")
