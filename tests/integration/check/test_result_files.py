"""Which files of a folder are results, and what lies beside them."""

from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io import result_files
from sparktune.io.result_files import read_result_files

_RESULT = "prompt_tokens,output_tok_s\n512,40\n"


def test_a_folder_is_its_results_in_the_order_of_a_person(tmp_path: Path) -> None:
    for name in ("run-n11.csv", "run-n3.csv", "README.md", "server.log", "n3.metrics", "gpu_samples.csv"):
        (tmp_path / name).write_text(_RESULT)
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (tmp_path / "more").mkdir()

    files = read_result_files([tmp_path])

    assert [file.name for file in files] == ["run-n3.csv", "run-n11.csv"]
    assert sorted(files[0].beside) == ["gpu_samples.csv", "n3.metrics"]
    assert sorted(files[1].beside) == ["gpu_samples.csv"]


def test_a_file_is_not_beside_itself(tmp_path: Path) -> None:
    (tmp_path / "gpu_samples.csv").write_text(_RESULT)
    (tmp_path / "throttle.txt").write_text("pstate: P0\n")

    (file,) = read_result_files([tmp_path / "gpu_samples.csv"])

    assert list(file.beside) == ["throttle.txt"]


def test_too_large_a_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_files, "_MOST_BYTES", 10)
    (tmp_path / "a.csv").write_text(_RESULT)

    with pytest.raises(UsageError, match="at most 10 are read"):
        read_result_files([tmp_path / "a.csv"])


@pytest.mark.timeout(30)
def test_a_device_without_an_end_is_refused() -> None:
    """It says that it has no bytes, and would fill this machine's memory."""
    with pytest.raises(UsageError, match="/dev/zero does not end, at most"):
        read_result_files([Path("/dev/zero")])


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_files, "_MOST_FILES", 2)
    for place in range(3):
        (tmp_path / f"run={place}.json").write_text("{}")

    with pytest.raises(UsageError, match="more than 2 files"):
        read_result_files([tmp_path])


@pytest.mark.parametrize("name", ["absent.csv", "a\0b"])
def test_a_path_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as caught:
        read_result_files([tmp_path / name])

    assert caught.value.hint
