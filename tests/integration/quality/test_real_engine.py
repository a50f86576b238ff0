"""The battery and the canary against a real llama.cpp whose tiny model has random weights: all of it is noise.

A model of noise calls nothing and writes no words: of a template with tools that is 0 of all, of one without it is
unknown, and the canary must see that every answer is broken - and the same again, since the answers are greedy.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import run_sparktune
from tests.support.tiny_gguf import TOOLS_TEMPLATE, write_tiny_model

from sparktune.io.demo_server import DemoServer, serve

pytestmark = pytest.mark.timeout(240)
_LIMIT_S = 200.0


def _asked(server: DemoServer, *flags: str) -> tuple[int, dict[str, Any]]:
    finished = run_sparktune("quality", server.base_url, "--json", "--quiet", *flags, limit_s=_LIMIT_S)
    assert finished.out, finished.err
    return finished.code, json.loads(finished.out)


def test_noise_calls_nothing_and_is_seen_as_noise(tmp_path: Path) -> None:
    """After each stream the server closes its connection: no question may be lost by that."""
    model = write_tiny_model(tmp_path / "tools.gguf", template=TOOLS_TEMPLATE)
    with serve(model, log=tmp_path / "server.log", slots=1, context_tokens=16_384) as server:
        code, told = _asked(server, "--answer-tokens", "24")
    assert code == 0, told["tools"]["why"]
    assert (told["tools"]["calls"]["count"], told["tools"]["calls"]["total"]) == (0, 22)
    assert told["tools"]["right"]["total"] == 26
    assert told["canary"]["whole"]["count"] == 0
    assert told["canary"]["identical_share"] == 1.0
    assert len(told["canary"]["askings"]) == 2


def test_a_template_without_tools_leaves_the_battery_unknown(llama_server: DemoServer) -> None:
    code, told = _asked(llama_server, "--only", "tools")
    assert code == 5
    assert told["tools"]["right"] is None
    assert "the tools never reach the model" in told["tools"]["why"]
