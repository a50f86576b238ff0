"""``sparktune watch`` on this machine, on folders, and on a terminal of 80 by 24."""

import json
import os
import pty
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

import pytest
from tests.support.chat_server import chat_server, chunk
from tests.support.cli import run_sparktune
from tests.support.schemas import promised

from sparktune.io.lab import write_lab


def test_this_machine_as_json_lines() -> None:
    done = run_sparktune("watch", "--nodes", "local", "--count", "2", "--interval", "0.2", "--json")

    lines = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert [line["node"] for line in lines] == ["local", "local"]
    assert len(lines[0]["cores"]) >= 1
    assert lines[0]["available_bytes"] > 0
    assert lines[0]["wall_s"] < lines[1]["wall_s"]


def test_captured_trees_stand_still(tmp_path: Path) -> None:
    first, second = write_lab(tmp_path / "lab")

    done = run_sparktune("watch", "--root", str(first), "--root", str(second), "--count", "1", "--interval", "0.2")

    assert done.code == 0
    for name in ("spark1", "spark2"):
        assert f"{name}: MemAvailable 54.0 GiB of 119.7 GiB, above the guard line 3.0 GiB" in done.out
    assert "hottest zone 53 C, GPU 0 0.0 % 2411 MHz 44 C 10 W" in done.out


def test_json_names_the_engine_and_says_what_is_not_known(tmp_path: Path) -> None:
    first, _ = write_lab(tmp_path / "lab")
    with chat_server(lambda _: (200, chunk("x"))) as url:
        flags = ("--root", str(first), "--url", url, "--count", "3", "--ask-every", "never", "--json")
        done = run_sparktune("watch", *flags)

    line = promised("watch", done.out.splitlines()[-1])
    assert done.code == 0, done.err
    assert (line["engine"]["service"], line["engine"]["running"]) == ("at --url", None)
    assert line["engine"]["why"].startswith("its numbers are unknown")
    assert (line["drift"]["differs"], line["drift"]["why"]) == (None, "switched off by --ask-every never")


def test_a_node_that_fails_ends_alone(tmp_path: Path) -> None:
    first, _ = write_lab(tmp_path / "lab")
    nodes = f"{first.parent}/{first.name},nowhere.invalid"

    done = run_sparktune("watch", "--nodes", nodes, "--count", "1", "--interval", "0.2", "--json")

    seen = {line["node"]: line for line in map(json.loads, done.out.splitlines())}
    assert done.code == 1
    assert "error" in seen["nowhere.invalid"]
    assert seen["spark1"]["hottest_zone_c"] == 53.4


def test_a_terminal_of_eighty_columns(tmp_path: Path) -> None:
    """The alternate screen is left again; nothing is coloured for a user who declined."""
    first, _ = write_lab(tmp_path / "lab")
    try:
        controller, terminal = pty.openpty()
    except OSError as error:  # a container or chroot without /dev/pts
        pytest.skip(f"no pseudo terminal can be had here: {error}")
    ioctl(terminal, TIOCSWINSZ, pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "sparktune", "watch", "--root", str(first), "--count", "1", "--interval", "0.2"],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(controller, 65_536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(controller)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 0, errors
    text = shown.decode()
    assert "spark1: MemAvailable 54.0 GiB of 119.7 GiB" in text
    assert text.index("\x1b[?1049h") < text.rindex("\x1b[?1049l")
    assert "\x1b[3" not in text
