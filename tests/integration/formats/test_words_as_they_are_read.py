"""The programs that read our users' commands are asked what they make of words: bash, and systemd where it is."""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sparktune.formats.located import whole
from sparktune.formats.quoting import Dialect
from sparktune.formats.shell import lex

_PIECES = ["a", "b'c d'", '"e f"', "\\\\", "'g\"h'", '"i\'j"', "k", "\\'", '\\"', "é", "=", '"n\\"o"', ","]
_SYSTEMD_PIECES = [*_PIECES, "\\s", "\\x41", "'l\\'m'", "#", "%%", "$x", "${y}", ";", "&&"]
_SHELL_PIECES = [*_PIECES, "\\ ", "x#y", "'#'", "\\;", "'&&'", '"\\q"', '"$"', "\\\n"]


def _words(text: str, dialect: Dialect) -> list[str]:
    return [one.word.text for one in lex(whole(text), dialect) if one.word is not None]


def _random_words(pieces: list[str], count: int) -> list[str]:
    drawn = random.Random(7)
    return ["/no" + "".join(drawn.choices(pieces, k=drawn.randint(1, 4))) for _ in range(count)]


_BASH, _ANALYZE = shutil.which("bash"), shutil.which("systemd-analyze")


@pytest.mark.skipif(_BASH is None, reason="no bash")
def test_words_of_a_shell_are_those_of_bash() -> None:
    text = " ".join(_random_words(_SHELL_PIECES, 300)) + " # a comment"

    said = subprocess.run([str(_BASH), "-c", f"printf '%s\\0' {text}"], capture_output=True, check=True).stdout.decode()

    assert _words(text, Dialect.SHELL) == said.split("\0")[:-1]


@pytest.mark.skipif(_ANALYZE is None, reason="no systemd-analyze")
@pytest.mark.parametrize("word", _random_words(_SYSTEMD_PIECES, 25))
def test_words_of_a_unit_are_those_of_systemd(word: str, tmp_path: Path) -> None:
    """It names a program that it does not find, or that no program can be called."""
    unit = tmp_path / "asked.service"
    unit.write_text(f"[Service]\nExecStart={word} z\n")

    said = subprocess.run(
        [str(_ANALYZE), "verify", unit], capture_output=True, text=True, check=False, timeout=60
    ).stderr

    found = re.search(r"(?:Command|contains special characters:) (.*?)(?: is not executable.*)?$", said, re.MULTILINE)
    if found is None:
        pytest.skip(f"this systemd says nothing of the program: {said[:100]}")
    assert _words(f"{word} z", Dialect.SYSTEMD)[0].replace("%%", "%") == found[1]
