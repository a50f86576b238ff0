"""Files of logs as they lie about: packed, rotated, cut off, growing, or no logs at all."""

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io import log_files
from sparktune.io.log_files import STDIN, read_log_file, read_rotated, rotated_files

_LINE = b"INFO 11-14 14:26:16 [a.py:1] hello\n"
_START = b"INFO 11-14 14:26:16 [a.py:1] non-default args: {'max_num_seqs': 8}\n"


def _written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    os.utime(path, (1_795_000_000, 1_795_000_000))  # 2026-11-18
    return str(path)


def test_a_plain_file_is_dated_by_when_it_was_written(tmp_path: Path) -> None:
    name = _written(tmp_path / "boot.log", _LINE * 3)
    log = read_log_file(name, "spark1")
    assert (log.file, log.node, log.lines, log.unreadable) == (name, "spark1", 3, "")
    assert log.first_s == 1_794_666_376.0


# What is packed holds the second in which that was done: workers of one test run must name a case the same.
@pytest.mark.parametrize("tail", [b"", b"\0" * 512, gzip.compress(_LINE)], ids=["nothing", "padding", "another part"])
def test_gzip_in_one_part_or_several(tmp_path: Path, tail: bytes) -> None:
    name = _written(tmp_path / "boot.log.1.gz", gzip.compress(_LINE * 2) + tail)
    log = read_log_file(name)
    assert (log.lines, log.unreadable) == (3 if tail[:1] == b"\x1f" else 2, "")


def test_gzip_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(b"%d " % (n * n) + _LINE for n in range(2000)))
    log = read_log_file(_written(tmp_path / "x.gz", packed[:-100]))
    assert log.lines > 1000
    assert log.unreadable == "not read to its end: the packed file ends in the middle"


def test_gzip_that_is_damaged_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(os.urandom(200_000)))
    packed[-4:] = b"\0\0\0\1"
    log = read_log_file(_written(tmp_path / "x.gz", bytes(packed)))
    assert "damaged" in log.unreadable


def test_what_was_rotated_comes_first_and_oldest_first(tmp_path: Path) -> None:
    for name in ("x.log", "x.log.1", "x.log.2.gz", "x.log.10.gz", "x.log-20261101.gz", "x.log.1.gz", "x.log.bak", "y"):
        (tmp_path / name).write_bytes(b"")
    names = [path.name for path in rotated_files(tmp_path / "x.log")]
    assert names == ["x.log-20261101.gz", "x.log.10.gz", "x.log.2.gz", "x.log.1", "x.log"]


def test_rotated_files_are_read_as_one_log(tmp_path: Path) -> None:
    _written(tmp_path / "x.log.2.gz", gzip.compress(_START + _LINE)[:-12])
    _written(tmp_path / "x.log.1", _START[:40])
    name = _written(tmp_path / "x.log", _START[40:] + _LINE)
    log = read_rotated(name)
    assert (log.file, log.starts) == (name, 2)
    assert log.unreadable.startswith(f"{tmp_path / 'x.log.2.gz'}: not read to its end")


def test_a_file_that_grows_while_it_is_read_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = _written(tmp_path / "x.log", _LINE * 3)
    monkeypatch.setattr(log_files, "_PIECE", len(_LINE))
    told = log_files._told

    def growing(stream: io.BufferedReader) -> os.stat_result | None:
        before = told(stream)
        with Path(name).open("ab") as more:
            more.write(_LINE * 100)
        return before

    monkeypatch.setattr(log_files, "_told", growing)
    assert read_log_file(name).lines <= 103 + 3


def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = _written(tmp_path / "x.log", _LINE * 10_000)
    written_s = log_files._written_s
    monkeypatch.setattr(log_files, "_PIECE", 1000)
    pieces = log_files._raw

    def shrinking(stream: io.BufferedReader, size: int | None, trouble: log_files._Trouble):  # noqa: ANN202
        for at, piece in enumerate(pieces(stream, size, trouble)):
            if at == 0:
                os.truncate(name, 500)
            yield piece

    monkeypatch.setattr(log_files, "_raw", shrinking)
    log = read_log_file(name)
    assert written_s is log_files._written_s
    assert log.unreadable == "it became shorter while it was read"
    assert log.lines > 0


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(_LINE * 2)))
    log = read_log_file(STDIN)
    assert (log.file, log.lines) == ("standard input", 2)
    assert log.first_s is not None


def test_a_pipe_that_a_shell_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "_INHERITED", ("/dev/fd/", "/proc/self/fd/"))
    read, write = os.pipe()
    os.write(write, _LINE * 2)
    os.close(write)
    try:
        assert read_log_file(f"/dev/fd/{read}").lines == 2
    finally:
        os.close(read)


@pytest.mark.parametrize(
    ("kind", "words", "hint"),
    [
        ("missing", "cannot be read: No such file", "look at the path"),
        ("folder", "is a folder", "*.log"),
        ("pipe", "is a pipe", "sparktune logs - <"),
        ("empty", "is empty", "docker logs"),
        ("device", "is no file", "name the file"),
        ("nul", "cannot be read", "look at the path"),
    ],
)
def test_what_is_no_log(tmp_path: Path, kind: str, words: str, hint: str) -> None:
    path = tmp_path / "x"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "empty":
        path.touch()
    name = {"device": "/dev/zero", "nul": "a\0b"}.get(kind, str(path))
    with pytest.raises(UsageError) as raised:
        read_log_file(name)
    assert words in str(raised.value)
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("magic", "words"),
    [
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip"),
        (b"\xff\xfeI\0", "UTF-16"),
        (b"LPKSHHRH", "a journal of systemd"),
    ],
)
def test_what_has_to_be_unpacked_by_others(tmp_path: Path, magic: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        read_log_file(_written(tmp_path / "x", magic + b"rest"))
    assert raised.value.hint


def test_what_is_no_text_is_refused_and_zeros_of_a_power_cut_are_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the text of a log"):
        read_log_file(_written(tmp_path / "x", bytes(range(256)) * 64))
    assert read_log_file(_written(tmp_path / "y", bytes(5000) + b"\n" + _LINE)).lines == 2


@pytest.mark.parametrize("size", [1, 5000, 3_000_000])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_zeros_alone_are_no_log_without_a_failure(tmp_path: Path, size: int, pack: Callable[[bytes], bytes]) -> None:
    """A power cut leaves them: "no failure in 1 line", with exit code 0, is said of the log that would have told it."""
    nothing = "it holds nothing but zero bytes, as files do after a power cut"
    assert read_log_file(_written(tmp_path / "x.log", pack(bytes(size)))).unreadable == nothing
    assert read_log_file(_written(tmp_path / "y.log", pack(bytes(size) + _LINE))).unreadable == ""
