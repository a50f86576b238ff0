"""What goes wrong at the front door: one clear line, a hint, the right exit code, no traceback."""

import re
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

from sparktune.io.reference.process import ReferenceProcess

QUICK = ("--tg", "4", "--trials", "1", "--warmup", "off", "--quiet")
SHORT = ("--pp", "32")

SERVERS = [
    pytest.param(
        {}, ("--model", "nonesuch"), 1, r"does not serve the model 'nonesuch'", r"reference", id="unknown-model"
    ),
    pytest.param({"loading": True}, (), 1, r"503", r"--wait", id="still-loading"),
    pytest.param({"html": "all"}, (), 1, r"HTML|web page", r"/v1|address", id="html-everywhere"),
    pytest.param({"html": "stream"}, (), 1, r"HTML|web page", r"", id="html-instead-of-sse"),
    pytest.param({"api_key": "right"}, ("--api-key", "wrong"), 1, r"key", r"SPARKTUNE_API_KEY", id="wrong-key"),
    pytest.param({"api_key": "right"}, (), 1, r"key", r"SPARKTUNE_API_KEY", id="missing-key"),
    pytest.param({"max_model_len": 64}, ("--pp", "512"), 1, r"512", r"", id="longer-than-the-model-takes"),
]


@pytest.mark.parametrize(("knobs", "flags", "code", "says", "hints"), SERVERS)
def test_a_server_that_cannot_be_measured(
    reference: ReferenceProcess, knobs: dict[str, object], flags: Sequence[str], code: int, says: str, hints: str
) -> None:
    reference.configure(**knobs)
    done = run_sparktune("bench", reference.base_url, *QUICK, *(() if "--pp" in flags else SHORT), *flags)

    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert (code, 1) == (done.code, len(errors)), done.err
    assert re.search(says, errors[0]), done.err
    assert re.search(hints, done.err.partition("hint: ")[2]), done.err
    assert "wrong" not in done.err.replace("wrong-key", "")
    assert done.out == ""


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        done = run_sparktune("bench", f"http://127.0.0.1:{port}/v1", *QUICK, *SHORT)

    assert done.code == 1
    assert f"127.0.0.1:{port}" in done.err
    assert "hint: " in done.err


USAGE = [
    pytest.param(("bench",), r"no server is named", id="no-server"),
    pytest.param(("bench", "http://"), r"http", id="no-host"),
    pytest.param(("bench", "http://127.0.0.1:9", "--pp", "many"), r"--prompt-tokens.*'many'", id="not-a-number"),
    pytest.param(("bench", "http://127.0.0.1:9", "--warmup", "hot"), r"--warmup.*'hot'", id="warm-up"),
    pytest.param(("bench", "http://127.0.0.1:9", "--slo", "fast"), r"'fast'", id="objective"),
    pytest.param(("bench", "http://127.0.0.1:9", "--api", "soap"), r"--api.*'soap'", id="api"),
    pytest.param(("bench", "http://127.0.0.1:9", "--concurrency", "1000000000"), r"1000000000", id="streams"),
    pytest.param(("bench", "http://127.0.0.1:9", "--trials", "9" * 20), r"--trials", id="trials"),
    pytest.param(("bench", "http://127.0.0.1:9", "--warmup", "9" * 5_000), r"--warmup", id="warm-ups"),
    pytest.param(("bench", "http://127.0.0.1:9", "--timeout", "nan"), r"--timeout", id="no-time"),
    pytest.param(("bench", "http://127.0.0.1:9", "--stall", "inf"), r"--stall.*inf", id="endless-stall"),
    pytest.param(("bench", "http://127.0.0.1:9", "--wait", "inf"), r"--wait.*inf", id="no-wait"),
    pytest.param(("bench", "http://127.0.0.1:9", "--temperature", "inf"), r"--temperature.*inf", id="no-temperature"),
    pytest.param(("bench", "http://127.0.0.1:9", "--sampling-seed", "9" * 20), r"--sampling-seed", id="large-seed"),
    pytest.param(("bench", "http://127.0.0.1:9", "--extra-body", '{"a":' * 9_999), r"--extra-body", id="deep-json"),
    pytest.param(("bench", "http://127.0.0.1:9", "--extra-body", "[1]"), r"--extra-body", id="extra-body"),
    pytest.param(("bench", "http://127.0.0.1:9", "--save", "result.xls"), r"\.xls", id="unknown-suffix"),
    pytest.param(("bench", "http://127.0.0.1:9", "--save", "/nonexistent/r.md"), r"/nonexistent/r\.md", id="no-folder"),
    pytest.param(
        ("bench", "http://127.0.0.1:9", "--save", "r.json", "--save-result", "./r.json"),
        r"r\.json is named twice",
        id="twice",
    ),
    pytest.param(("bench", "http://127.0.0.1:9", "--api-key-file", "/nonexistent"), r"/nonexistent", id="key-file"),
    pytest.param(("bench", "http://127.0.0.1:9", "--corpus", "/nonexistent"), r"/nonexistent", id="corpus"),
    pytest.param(("bench", "--resume", "x", "--pp", "64", "--trials", "5"), r"--prompt-tokens, --trials", id="resume"),
    pytest.param(("bench", "http://127.0.0.1:9", "--workload", "w"), r"'w'.*sparktune\.yaml", id="no-configuration"),
    pytest.param(("bench", "http://127.0.0.1:9", "--nonsense"), r"--nonsense", id="unknown-flag"),
]


@pytest.mark.parametrize(("arguments", "says"), USAGE)
def test_a_command_line_that_cannot_be_understood(
    arguments: Sequence[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent and nothing is stored before the whole command line makes sense."""
    monkeypatch.chdir(tmp_path)
    done = run_sparktune(*arguments)

    assert done.code == 2, done.err
    assert re.search(says, done.err), done.err
    assert done.out == ""


def test_a_resumed_run_that_does_not_exist() -> None:
    done = run_sparktune("bench", "--resume", "nonesuch")

    assert done.code == 1
    assert "nonesuch" in done.err
    assert "hint: " in done.err
