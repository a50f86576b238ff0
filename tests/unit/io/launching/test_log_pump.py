"""What a server says, on the disk: without secrets, and never more than its bounds."""

import io
import json
from pathlib import Path

from sparktune.io.launching.log_pump import paths_of, pump
from sparktune.io.launching.started import last_lines


def _pumped(path: Path, lines: list[str], hidden: list[str], most_bytes: int = 1 << 20) -> str:
    text = json.dumps(hidden) + "\n" + "\n".join(lines) + "\n"
    pump(io.BytesIO(text.encode()), path, most_bytes)
    return path.read_text()


def test_secrets_are_stars_in_every_line(tmp_path: Path) -> None:
    lines = ["args: --x geheim-1234", "Authorization: Bearer abcdefgh", "loading tensors 5/8"]
    written = _pumped(tmp_path / "log", lines, ["geheim-1234"])
    assert written.splitlines()[0] == "args: --x ***"
    assert "abcdefgh" not in written
    assert written.splitlines()[2] == "loading tensors 5/8"


def test_a_log_that_runs_away_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    """A server in a loop of errors must not fill the disk; why it began is in the first lines."""
    _pumped(tmp_path / "log", [f"line {number:04}" for number in range(1000)], [], most_bytes=200)

    files = [path for path in paths_of(tmp_path / "log") if path.exists()]
    assert len(files) == 3
    assert sum(path.stat().st_size for path in files) <= 600
    assert files[0].read_text().startswith("line 0000\n")
    assert last_lines(tmp_path / "log").splitlines()[-1] == "line 0999"


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    written = _pumped(tmp_path / "log", ["x" * 100_000], [], most_bytes=20_000)
    assert len(written) <= 20_000


def test_a_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    _pumped(tmp_path / "log", ["a"], [])
    assert (tmp_path / "log").stat().st_mode & 0o077 == 0


def test_the_last_lines_of_no_log(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none") == ""
