"""Put ``sparktune check`` together: the flow, the report, the exit code."""

__all__ = ["run_check"]

import sys
from pathlib import Path

import typer

from sparktune.cli._terminal import colour_wanted, columns, fitted
from sparktune.errors import ExitCode
from sparktune.experiment.table_verdict import TableVerdict
from sparktune.flows.check import check_files
from sparktune.report.check import check_json, check_text


def run_check(files: tuple[Path, ...], cold_prefill: float | None, *, as_json: bool) -> None:
    """Print the judgement and leave with the exit code of its verdict. Raises UsageError."""
    judgement = check_files(files, cold_prefill)
    if as_json:
        sys.stdout.write(check_json(judgement))
    else:
        sys.stdout.write(fitted(check_text(judgement, width=columns(), color=colour_wanted())))
    if judgement.verdict is not TableVerdict.VALID:
        raise typer.Exit(int(ExitCode.NOT_CONCLUSIVE))
