"""V07: fewer than three trials per arm, which prove nothing.

Looks at: blocks, trials or prompts of both arms; a row that sums trials up counts as so many as it says. Rows with one
    trial's number are that one trial: its streams, or a row that is there twice.
Warns when: an arm has fewer than three in a cell: an anecdote. Or a cell has one value, and nobody says of how many
    trials it is: then its noise is not known either.
Invalid when: never: the numbers may be right, but no verdict can be had of them.
Unknown when: the table has no rows.
Source: one value tells nothing of the noise. With three blocks that differ by 5 %, an effect has to be some 18 % to be
    found in four of five experiments.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import Finding, by_cell, make_table_check, other_arms, row_words, shared_cells
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import count_of

_FEWEST = 3
_HINT = "measure at least three trials of each arm, better five blocks of both in turn: sparktune ab"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    if table.rows and all(row.prompt_id for row in table.rows):
        return [_of_prompts(table)]
    if not table.rows:
        return []
    counts = [(arm, rows[0], _trials(rows)) for arm in table.measured_arms for rows in by_cell(table, arm).values()]
    few = [(count, arm, row) for arm, row, count in counts if count is not None and count < _FEWEST]
    if few:
        count, arm, row = min(few, key=lambda item: item[0])
        where = f"{row_words(row)} in arm {arm}" if arm else row_words(row)
        evidence = f"{count_of(len(few), 'cell')} with fewer than {_FEWEST} trials, {where} has {count}: an anecdote"
        return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT, label="anecdote")]
    untold = [count for _, _, count in counts if count is None]
    if untold:
        noun = "cells have one value" if len(untold) > 1 else "cell has one value"
        evidence = f"{len(untold)} {noun}, and nobody says of how many trials: its noise is not known"
        return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT, label="untold")]
    least = min((count for _, _, count in counts if count is not None), default=0)
    return [Finding(status=Status.OK, evidence=f"{least} trials or more in every cell")]


def _trials(rows: Sequence[Row]) -> int | None:
    blocks = {row.block for row in rows if row.block is not None}
    trials = {row.trial for row in rows if row.trial is not None}
    if blocks or (trials and all(row.trial is not None for row in rows)):
        return len(blocks or trials)
    counts = [row.trials for row in rows]
    return None if any(count is None for count in counts) else sum(count or 0 for count in counts)


def _of_prompts(table: Table) -> Finding:
    pairs = other_arms(table)
    least = min((len(shared_cells(table, *pair)) for pair in pairs), default=len(table.rows))
    noun = "prompt of both arms" if pairs else "prompt"
    words = count_of(least, noun).replace("prompt of both armss", "prompts of both arms")
    if least < _FEWEST:
        evidence = f"{words}: an anecdote"
        return Finding(status=Status.WARN, evidence=evidence, hint=_HINT, label="anecdote")
    return Finding(status=Status.OK, evidence=f"{words}, each one request")


TABLE_CHECK = make_table_check("V07", "enough trials", _judge, source="simulations of blocks, see make sim")
