"""``sparktune drift`` as a person runs it, on a server that was started by hand: files, a process, and a port."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.cli import Finished, run_sparktune
from tests.support.ports import free_port
from tests.support.whole import write_whole

_EARNED = """\
schema: 1
settings:
- knob: DSPARK_MAX_INFLIGHT_PREFILLS
  value: {env: {DSPARK_MAX_INFLIGHT_PREFILLS: '2'}}
  scope: {service: house}
  evidence: {run: r1, date: '2026-01-01'}
- knob: DEPTH
  value: {env: {DEPTH: '99'}}
  scope: {service: another}
  evidence: {run: r2, date: '2026-01-01'}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a configuration, what was earned, and a file of variables."""
    port = free_port()
    (tmp_path / "sparktune.yaml").write_text(
        "services:\n"
        f'  house: {{endpoint: "http://127.0.0.1:{port}/v1", launcher: script, '
        f"where: [{{file: {tmp_path / 'house.env'}, start: [./serve.sh]}}]}}\n"
    )
    (tmp_path / "earned.yaml").write_text(_EARNED)
    (tmp_path / "house.env").write_text("DSPARK_MAX_INFLIGHT_PREFILLS=1\nDEPTH=5\nHF_TOKEN=hf_abcdefghijklmnopqrstuv\n")
    (tmp_path / "port").write_text(str(port))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def _serving(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server with the variables of the file as they are now."""
    lines = (folder / "house.env").read_text().splitlines()
    variables = dict(line.split("=", 1) for line in lines)
    port = (folder / "port").read_text()
    process = subprocess.Popen(
        [sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1"],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await(int(port))
        yield process
    finally:
        process.kill()
        process.wait()


def _await(port: int) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


def _row(done: Finished, key: str) -> dict[str, object]:
    return next(row for row in done.json["rows"] if row["key"] == key)


def test_what_went_back_is_found_and_what_was_mended_is_fine(folder: Path) -> None:
    with _serving(folder):
        found = run_sparktune("drift", "--json")
        told = run_sparktune("drift")

    row = _row(found, "DSPARK_MAX_INFLIGHT_PREFILLS")
    assert found.code == told.code == 3
    assert (row["earned"], row["file"], row["live"], row["status"]) == ("2", "1", "1", "FILE DRIFT")
    assert "DSPARK_MAX_INFLIGHT_PREFILLS on local: earned 2, file 1, live 1" in " ".join(told.out.split())
    assert "sparktune drift restore DSPARK_MAX_INFLIGHT_PREFILLS" in told.out
    assert _row(found, "DEPTH")["earned"] is None, "what another service earned is not for this one"

    text = (folder / "house.env").read_text()
    (folder / "house.env").write_text(text.replace("PREFILLS=1", "PREFILLS=2"))
    # The kernel tells when it booted, and so when a process began, in whole seconds: a file must not be as young as it.
    long_ago = time.time() - 10.0
    os.utime(folder / "house.env", (long_ago, long_ago))
    with _serving(folder):
        mended = run_sparktune("drift")
        quiet = run_sparktune("drift", "--quiet")

    assert mended.code == 0, mended.out
    assert "nothing has drifted" in mended.out
    assert quiet.out == ""


def test_an_edited_file_is_not_live(folder: Path) -> None:
    with _serving(folder):
        (folder / "house.env").write_text((folder / "house.env").read_text().replace("DEPTH=5", "DEPTH=6"))
        found = run_sparktune("drift", "--json")

    row = _row(found, "DEPTH")
    assert (row["file"], row["live"], row["status"], row["survives"]) == ("6", "5", "NOT LIVE", False)


def test_secrets_are_nowhere(folder: Path) -> None:
    with _serving(folder):
        done = [run_sparktune("drift", "--all", *more) for more in ((), ("--json",))]

    for one in done:
        assert "hf_abcdef" not in one.out + one.err
        assert "HF_TOKEN" not in one.out


def test_a_server_that_does_not_run_could_not_be_read(folder: Path) -> None:
    (folder / "earned.yaml").unlink()

    done = run_sparktune("drift")

    assert done.code == 1
    assert "nothing listens at port" in " ".join(done.out.split())


def test_flags_alone_are_enough(folder: Path, tmp_path: Path) -> None:
    (folder / "sparktune.yaml").unlink()
    port = (folder / "port").read_text()
    (tmp_path / "mine.yaml").write_text(_EARNED.replace("{service: house}", f"{{service: 'http://localhost:{port}'}}"))
    with _serving(folder):
        done = run_sparktune("drift", "--url", f"http://127.0.0.1:{port}/v1", "--earned", "mine.yaml", "--json")

    row = _row(done, "DSPARK_MAX_INFLIGHT_PREFILLS")
    assert row["live"] == "1"
    assert row["earned"] == "2"


def test_watching_tells_what_changes_and_ends_with_ctrl_c(folder: Path) -> None:
    with _serving(folder):
        command = [sys.executable, "-m", "sparktune", "drift", "--watch", "--every", "1s", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
            assert watching.stdout is not None
            first = watching.stdout.readline()
            write_whole(folder / "house.env", (folder / "house.env").read_text().replace("DEPTH=5", "DEPTH=7"))
            second = watching.stdout.readline()
            watching.send_signal(signal.SIGINT)
            _out, err = watching.communicate(timeout=60)

    assert '"DEPTH"' in first
    assert '"file": "7"' in second
    assert watching.returncode == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--service", "nope"), "nope"),
        (("--watch", "--every", "often"), "--every"),
        (("--earned", "nowhere.yaml"), "nowhere.yaml"),
        (("--launcher", "compose"), "--where"),
    ],
)
def test_a_mistake_is_two_and_a_hint(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    assert folder.exists()
    done = run_sparktune("drift", *arguments)

    assert done.code == 2
    assert words in done.err
    assert "hint:" in done.err
