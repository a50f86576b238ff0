"""Logs as people name them: a log that is counted twice doubles what it says."""

from pathlib import Path

import pytest

from sparktune.errors import ExitCode, UsageError
from sparktune.flows.logs import read_logs

_FAILED = "2026-11-14 12:00:00 torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


def _told(_name: str) -> None:
    """Say nothing."""


def test_a_log_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "head.log"
    path.write_text(_FAILED)
    names = [("", str(path)), ("", f"{tmp_path}/./head.log"), ("", str(tmp_path))]

    answer = read_logs(names, {}, _told)

    assert len(answer.report.view.logs) == 1
    assert answer.exit_code is ExitCode.DIFFERENCES


def test_a_log_is_of_one_node(tmp_path: Path) -> None:
    path = tmp_path / "head.log"
    path.write_text(_FAILED)
    with pytest.raises(UsageError, match="named for spark1 and for spark2"):
        read_logs([("spark1", str(path)), ("spark2", str(path))], {}, _told)


def test_a_name_that_is_too_long_is_told_as_any_file_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_logs([("", "x" * 300)], {}, _told)
