"""``check``: read files of results that somebody made, put them together, and judge them."""

__all__ = ["check_files"]

from collections.abc import Sequence
from pathlib import Path

from sparktune.bench.imports import combine_tables, read_table
from sparktune.experiment.table_verdict import TableJudgement, judge_table
from sparktune.io.result_files import read_result_files
from sparktune.model.table_check import TableContext
from sparktune.units import TokensPerSecond


def check_files(paths: Sequence[Path], cold_reference: TokensPerSecond | None = None) -> TableJudgement:
    """Return the judgement of all files together; two files without arms are two arms. Raises UsageError."""
    tables = [read_table(file) for file in read_result_files(paths)]
    return judge_table(combine_tables(tables), TableContext(cold_reference_tok_s=cold_reference))
