"""Any user of a machine reads every command line there: no key may be in one, neither of the program nor of a child."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from tests.support.reference import QUICK

from sparktune.io.reference.process import ReferenceProcess

_SHORT = ("--prompt-tokens", "16", "--output-tokens", "4", "--trials", "3", "--warmup", "0")


@pytest.fixture
def key() -> str:
    """A key that no other test of this machine has in its lists."""
    return f"gx10-{secrets.token_hex(16)}"


@pytest.fixture
def server(reference_process: ReferenceProcess, key: str) -> Iterator[ReferenceProcess]:
    """A server that answers only to who sends the key."""
    reference_process.reset(msgspec.structs.replace(QUICK, api_key=key))
    yield reference_process
    reference_process.reset(QUICK)


@contextmanager
def _started(*arguments: str, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        (sys.executable, "-m", "sparktune", *arguments),
        env={**os.environ, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        assert process.stdout is not None
        process.stdout.close()
        process.kill()
        process.wait()


def _lists_while(process: "subprocess.Popen[bytes]", key: str) -> tuple[set[str], bytes]:
    """Return the command lines of all processes of this machine that had the key, until a process has ended."""
    found, watched = set[str](), 0
    while process.poll() is None:
        for entry in Path("/proc").iterdir():
            try:
                line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            except OSError:
                continue
            watched += b"sparktune" in line
            if key.encode() in line:
                found.add(line.replace(b"\0", b" ").decode())
    assert process.stdout is not None
    assert watched
    return found, process.stdout.read()


@pytest.mark.parametrize("way", ["variable", "file"])
def test_a_key_from_a_variable_or_a_file_is_in_no_list(
    way: str, server: ReferenceProcess, key: str, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(key)
    file.chmod(0o600)
    words = ("--api-key-file", str(file)) if way == "file" else ()
    more = {"SPARKTUNE_API_KEY": key} if way == "variable" else {}
    more["SPARKTUNE_DATA"] = str(tmp_path / "data")

    with _started("bench", server.base_url, *_SHORT, *words, **more) as process:
        found, printed = _lists_while(process, key)

    assert process.returncode in {0, 5}, printed  # so the key did reach the server
    assert found == set()
    assert key.encode() not in printed
    assert _kept(tmp_path / "data", key) == []


def test_a_key_on_the_command_line_is_warned_of_and_goes_no_further(
    server: ReferenceProcess, key: str, tmp_path: Path
) -> None:
    """The person put it into the list; no child's list gets it, and neither does the store."""
    more = {"SPARKTUNE_DATA": str(tmp_path / "data")}
    with _started("bench", server.base_url, *_SHORT, "--api-key", key, **more) as process:
        found, printed = _lists_while(process, key)

    assert process.returncode in {0, 5}, printed
    assert found == {" ".join(process.args) + " "}  # its own line, and no child's
    assert b"seen by every user of this machine" in printed
    assert key.encode() not in printed
    assert _kept(tmp_path / "data", key) == []


def _kept(folder: Path, key: str) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if key.encode() in path.read_bytes()]
