"""Put ``sparktune doctor`` together: which nodes, the flow, the report, the exit code."""

__all__ = ["run_doctor"]

import sys
from pathlib import Path

import typer

from sparktune.cli._nodes import targets_of
from sparktune.cli._terminal import colour_wanted, columns
from sparktune.cli._waiting import waiting_said
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.doctor import Diagnosis, diagnose_nodes
from sparktune.report.doctor import doctor_json, doctor_text


def run_doctor(nodes: str, roots: tuple[Path, ...], folder: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Print the report and leave with the diagnosis' exit code. Raises UsageError."""
    diagnosis = _diagnose(nodes, roots, folder)
    if not quiet:
        for note in diagnosis.notes:
            sys.stderr.write(f"note: {note}\n")
    if as_json:
        sys.stdout.write(doctor_json(diagnosis.cluster, diagnosis.findings))
    else:
        text = doctor_text(diagnosis.cluster, diagnosis.findings, width=columns(), color=colour_wanted())
        sys.stdout.write(text)
    if diagnosis.exit_code is not ExitCode.DONE:
        raise typer.Exit(int(diagnosis.exit_code))


def _diagnose(nodes: str, roots: tuple[Path, ...], folder: Path | None) -> Diagnosis:
    if folder is None:
        with waiting_said():
            return diagnose_nodes(targets_of(nodes, roots))
    if nodes or roots:
        message = "--from judges files, --nodes and --root judge nodes"
        raise UsageError(message, hint="give one of them")
    from sparktune.flows.doctor_files import diagnose_files

    return diagnose_files(folder)
