"""``sparktune watch`` on a real terminal: keys, the way back to the shell, and terminals that can do little."""

import sys
from pathlib import Path

import pytest
from tests.support.terminal import on_terminal

from sparktune.io.lab import write_lab

_ALTERNATE, _BACK = "\x1b[?1049h", "\x1b[?1049l"
_WITHOUT = (
    "import sys; import sparktune.cli._watch as one; one._has_textual = lambda: False;"
    "from sparktune.cli.app import main; sys.argv = ['sparktune', *sys.argv[1:]]; main()"
)


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Watch one node of the practice cluster; nothing slow is asked."""
    first, _ = write_lab(tmp_path / "lab")
    return ["watch", "--root", str(first), "--interval", "0.2", "--ask-every", "never"]


def test_q_ends_it_and_gives_the_terminal_back(arguments: list[str]) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    shown = on_terminal([sys.executable, "-m", "sparktune", *arguments], press=[("MemAvailable", b"q")])

    assert shown.code == 0
    assert shown.text.index(_ALTERNATE) < shown.text.rindex(_BACK)
    assert "above the guard line 3.0 GiB" in shown.text
    assert "findings" in shown.text
    assert "Traceback" not in shown.text


def test_ctrl_c_leaves_with_130(arguments: list[str]) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    shown = on_terminal([sys.executable, "-m", "sparktune", *arguments], press=[("MemAvailable", b"\x03")])

    assert shown.code == 130
    assert _BACK in shown.text


def test_no_colour_is_written_for_a_user_who_declined(arguments: list[str]) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    command = [sys.executable, "-m", "sparktune", *arguments]
    shown = on_terminal(command, press=[("MemAvailable", b"q")], environment={"NO_COLOR": "1"})

    assert shown.code == 0
    assert "\x1b[38;" not in shown.text
    assert "\x1b[48;" not in shown.text
    assert not any(f"\x1b[{colour}m" in shown.text for colour in (31, 32, 33))


def test_without_the_extra_the_plain_screen_names_it(arguments: list[str]) -> None:
    shown = on_terminal([sys.executable, "-c", _WITHOUT, *arguments, "--count", "1"])

    assert shown.code == 0
    assert "need the extra tui: pip install 'textual>=" in shown.text
    assert _BACK in shown.text


def test_a_dumb_terminal_gets_lines(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "sparktune", *arguments, "--count", "1"]
    shown = on_terminal(command, environment={"TERM": "dumb"})

    assert shown.code == 0
    assert "\x1b" not in shown.text
    assert "spark1: MemAvailable 54.0 GiB of 119.7 GiB" in shown.text


def test_a_locale_without_utf_8_gets_ascii(arguments: list[str]) -> None:
    """In lines, where an encoding that lacks a letter would end the program; and on the screen."""
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "sparktune", *arguments]
    lines = on_terminal([*command, "--count", "1"], environment={**environment, "TERM": "dumb"})
    screen = on_terminal(command, press=[("MemAvailable", b"q")], environment=environment)

    assert (lines.code, screen.code) == (0, 0)
    assert lines.text.isascii()
    assert screen.text.isascii()


def test_an_unknown_service_is_a_mistake_before_anything_is_shown(arguments: list[str]) -> None:
    pytest.importorskip("textual", reason="the extra tui is not installed")
    shown = on_terminal([sys.executable, "-m", "sparktune", *arguments, "--service", "nope"])

    assert shown.code == 2
    assert "error: no sparktune.yaml is here or above" in shown.text
    assert _ALTERNATE not in shown.text
