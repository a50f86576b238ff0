"""Text of nodes, logs and files cannot speak to the terminal of who looks at it: no escape sequence comes through."""

from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

_ESCAPE = "\x1b]0;title\x07\x1b[2J\x9b31m"
_CONTROLS = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}
_LOG = f"""\
ERROR 11-30 10:00:02 [core.py:1] RuntimeError: something {_ESCAPE} nobody knows
ERROR 11-30 10:00:03 [core.py:1] torch.OutOfMemoryError: {_ESCAPE} CUDA out of memory. Tried to allocate 2.00 GiB
"""
_COMPOSE = f'services:\n  vllm:\n    image: a\n    command: vllm serve "m{_ESCAPE}" --max-num-seqs 6 --no-such-flag\n'


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    assert run_sparktune("lab", "init", str(folder / "lab")).code == 0
    for name in folder.glob("lab/spark*/proc/[0-9]*/cmdline"):
        name.write_bytes(name.read_bytes() + _ESCAPE.encode() + b"\0")
    (folder / "head.log").write_text(_LOG)
    (folder / "compose.yaml").write_text(_COMPOSE)
    (folder / "serve.sh").write_text(f"vllm serve m{_ESCAPE} --max-num-seqs 6\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("logs", "head.log"),
        ("lint", "compose.yaml"),
        ("lint", "serve.sh"),
        ("doctor", "--nodes", "lab/spark1,lab/spark2"),
        ("host", "plan", "--nodes", "lab/spark1", "--explain"),
        ("check", "head.log"),
    ],
    ids=" ".join,
)
def test_no_control_character_is_printed(
    command: tuple[str, ...], planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(planted)
    done = run_sparktune(*command)

    assert (done.out + done.err).strip()
    assert sorted(_CONTROLS & set(done.out + done.err)) == [], done.out + done.err
