"""``doctor --from``: judge the loose files of a report as if they had been read on nodes."""

__all__ = ["diagnose_files"]

from pathlib import Path

from sparktune.flows.doctor import Diagnosis, diagnosis_of
from sparktune.io.case_files import read_case_files


def diagnose_files(folder: Path) -> Diagnosis:
    """Judge what a folder of loose files tells. Raises UsageError when it tells nothing."""
    files = read_case_files(folder)
    notes = tuple(f"{name} is left aside: {why}" for name, why in files.ignored)
    return diagnosis_of(files.cluster, notes)
