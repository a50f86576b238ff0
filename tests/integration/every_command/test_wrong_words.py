"""What a person can type at a file's place ends with an error and a hint: no traceback, and nothing is written.

A name may be empty, a folder, far too long, a link to itself, bytes of another encoding, a device, no text at all, or a
pipe to which nobody writes.
"""

import io
import os
import sys
from pathlib import Path

import pytest
from tests.support.in_process import invoke

_NAMES = {
    "empty": "",
    "dash": "-",
    "folder": "folder",
    "too long": "a" * 5000,
    "loop": "loop",
    "other bytes": "\udcff\udcfe",
    "binary": "binary.bin",
    "unreadable": "/proc/self/mem",
    "deep": "deep.json",
    "pipe": "pipe",
}
_COMMANDS = {
    "check": ("check", "{}"),
    "lint": ("lint", "{}"),
    "logs": ("logs", "{}"),
    "doctor": ("doctor", "--root", "{}"),
    "place scan --top": ("place", "scan", "--top", "{}"),
    "host apply --plan": ("host", "apply", "--yes", "--plan", "{}"),
    "ab": ("ab", "{}"),
    "sweep": ("sweep", "{}"),
    "bench": ("bench", "{}"),
    "bench --save": ("bench", "http://127.0.0.1:9/v1", "--save", "{}"),
    "bench --resume": ("bench", "http://127.0.0.1:9/v1", "--resume", "{}"),
    "bench --api-key-file": ("bench", "http://127.0.0.1:9/v1", "--api-key-file", "{}"),
    "bench --prompts": ("bench", "http://127.0.0.1:9/v1", "--prompts", "{}"),
    "bench --corpus": ("bench", "http://127.0.0.1:9/v1", "--corpus", "{}"),
    "bench --workload": ("bench", "http://127.0.0.1:9/v1", "--workload", "{}"),
    "quality": ("quality", "{}"),
    "quality --extra-body": ("quality", "http://127.0.0.1:9/v1", "--extra-body", "{}"),
    "record --to": ("record", "--listen", "0", "--to", "{}", "--for", "0.1s"),
    "record --listen": ("record", "--listen", "{}", "--to", "http://127.0.0.1:9", "--for", "0.1s"),
    "export --out": ("export", "prometheus", "--out", "{}"),
    "export --json --out": ("export", "prometheus", "--json", "--out", "{}"),
    "drift --earned": ("drift", "--url", "http://127.0.0.1:9/v1", "--earned", "{}"),
    "earned list": ("earned", "list", "--file", "{}"),
    "runs show": ("runs", "show", "{}"),
    "ab show": ("ab", "show", "{}"),
    "knobs show": ("knobs", "show", "{}"),
    "host plan": ("host", "plan", "--nodes", "{}"),
    "render": ("render", "{}"),
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "binary.bin").write_bytes(bytes(range(256)) * 40)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("sparktune.io.named_file._WAIT_S", 0.0)
    (tmp_path / "deep.json").write_text("[" * 800)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("command", _COMMANDS)
def test_a_wrong_name_is_an_error_with_words(command: str, name: str) -> None:
    words = [_NAMES[name] if word == "{}" else word for word in _COMMANDS[command]]
    before = set(Path().iterdir())

    done = invoke(*words)

    assert done.code in {0, 1, 2, 3, 5}
    assert "Traceback" not in done.err
    assert done.code == 0 or done.out or "error: " in done.err
    if done.code == 2:
        assert done.err.splitlines()[-1].startswith("hint: ")
        assert done.err.splitlines()[-1] != "hint: "
    made = set(Path().iterdir()) - before - {Path("sparktune-data")}
    assert done.code == 0 or command.startswith("record") or not made, made
