"""What commands beside a running load say at their end fits a narrow terminal, as all other output does.

They need a server, traffic or a command, so they are not in the table of all commands.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.chat_server import chat_server, chunk, completion
from tests.support.in_process import invoke

_MEMINFO = "MemTotal: 8388608 kB\nMemFree: 2097152 kB\nMemAvailable: 4194304 kB\n"


@pytest.fixture(params=[40, 60, 80, 120])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The columns of the terminal."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


def _garbled(fields: Mapping[str, Any]) -> tuple[int, object]:
    """Answer with words that repeat, and call nothing."""
    words = "the same words again and again " * 30
    return 200, chunk(words) if fields["stream"] else completion(words, prompt_tokens=90 if "tools" in fields else 9)


def _fits(text: str, width: int) -> None:
    long = [line for line in text.splitlines() if len(line) > width and "sparktune " not in line]
    assert text
    assert long == []


def test_quality(width: int) -> None:
    with chat_server(_garbled) as url:
        done = invoke("quality", url, "--quiet", "--repeats", "1")

    assert "canary: not garbled" in done.out
    _fits(done.out, width)


@pytest.mark.parametrize("flags", [(), ("--available-floor", "200GiB")], ids=["quiet-end", "stop"])
def test_guard(flags: tuple[str, ...], width: int, tmp_path: Path) -> None:
    """With a command its stdout is the command's, and the end is told on stderr."""
    for name in ("spark-of-the-first-rack", "spark-of-the-second-rack"):
        (tmp_path / name / "proc").mkdir(parents=True)
        (tmp_path / name / "proc/meminfo").write_text(_MEMINFO)
    nodes = ",".join(f"{one}/" for one in sorted(tmp_path.iterdir()))
    done = invoke("guard", "--nodes", nodes, *flags, "--quiet" if flags else "--grace=0", "--", "sleep", "1.2")

    told = [line for line in done.err.splitlines() if not line.startswith(("guard: ", "error: ", "hint: "))]
    assert "MemAvailable" in done.err
    _fits("\n".join(told), width)


def test_record(width: int, tmp_path: Path) -> None:
    out = tmp_path / "traffic.jsonl"
    done = invoke("record", "--listen", "0", "--to", "http://127.0.0.1:9", "--out", str(out), "--for", "0.2s")

    assert "nothing was recorded" in done.out
    _fits(done.out, width)
