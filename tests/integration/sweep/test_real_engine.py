"""A sweep on a real llama.cpp finds the setting that was left at a bad value; what the engine refuses is told.

The baseline reads prompts in pieces of 8 tokens, as somebody may have left it after an experiment: with larger pieces
the engine is ten times as fast at them, on any machine, and slower at nothing. So a winner is confirmed unless the
machine is so busy that eight blocks cannot show a factor of ten; then the sweep has to say that it cannot tell.
Every configuration was live as the engine itself tells, and a kill costs nothing.
"""

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.ab import GUARD, listens
from tests.support.cli import run_sparktune
from tests.support.ports import free_port

from sparktune.experiment.plan import VisitState
from sparktune.io.launching.proc import all_seen
from sparktune.io.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
_ROOT = Path(__file__).resolve().parents[3]
_LIMIT_S = 550.0
_SERVER = _ROOT / "tests" / "support" / "llama_swept.py"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model, by whose name this test's servers are known."""
    copy = tmp_path / "model.gguf"
    copy.write_bytes(tiny_model.read_bytes())
    return copy


def _sweep(model: Path, port: int) -> dict[str, Any]:
    words = ["--parallel", "1", "--batch-size", "512", "--ubatch-size", "8", "--threads", "1", "--cache-type-k", "f16"]
    return {
        "name": "llama.cpp",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "engine": "llamacpp",
        "baseline": {"command": [sys.executable, str(_SERVER), "--port", str(port), "--model", str(model), *words]},
        "knobs": {
            "max_num_seqs": [4],
            "ubatch_size": [64, 512],
            "flag:--batch-size": [256],
            "kv_cache_dtype": ["q8_0"],
        },
        "live": {"http": "/props", "keys": "total_slots", "knob": "max_num_seqs"},
        "workload": {"prompt_tokens": 448, "output_tokens": 64, "concurrency": 4, "warmup": 1},
        "primary": "ttft_max_s",
        "race_blocks": 1,
        "pairs": False,
        "seed": 1,
        "guard": GUARD,
    }


def _file(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "sweep.yaml"
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(content, file)
    return path


def test_killed_in_its_middle_it_goes_on_and_claims_only_what_was_confirmed(
    model: Path, tmp_path: Path, port: int
) -> None:
    path = _file(tmp_path, _sweep(model, port))
    argv = [sys.executable, "-m", "tests.integration.ab.child", "add_trial:12", "sweep", str(path), "--yes", "--quiet"]
    ended = subprocess.run(argv, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Store.open() as store:
        (record,) = store.list_sweeps(5)
        before = store.sweep_visits(record.id)
    assert before, "the kill came after a visit"

    finished = run_sparktune("sweep", "resume", "--yes", "--json", limit_s=_LIMIT_S)
    assert finished.code in {0, 5}, finished.err
    result = finished.json

    assert (result["verdict"] == "winner") is (finished.code == 0)
    confirmed = result["confirmation"]
    if result["verdict"] == "winner":
        assert "ubatch_size" in result["winner"]
        assert confirmed["verdict"] == "IMPROVED"
        assert confirmed["effect"]["low"] > 1
    else:
        assert confirmed["verdict"] == "INCONCLUSIVE", "what chose it saw a factor of ten: nothing else may end it"
        assert confirmed["effect"]["blocks"] == 8, "it gave up after all of its blocks, and not before"
        assert confirmed["effect"]["low"] < 1 + result["margin"], "the interval holds that nothing is gained"
    ends = {visit["key"]: visit for visit in result["visits"]}
    assert ends["kv_cache_dtype=q8_0"]["end"] == "infeasible"
    assert "K cache type q8_0" in ends["kv_cache_dtype=q8_0"]["why"], "the engine's own words, from its log"
    _check_visits(record.id, before)
    assert not [one.pid for one in all_seen() if str(model) in one.argv]
    assert not listens(port)


def _check_visits(sweep: str, before: tuple[Any, ...]) -> None:
    """Every visit was made once, and in each the engine itself told the slots that were wanted."""
    with Store.open() as store:
        after, records = store.sweep_visits(sweep), store.visits(sweep)
        held = store.held(sweep)
    done = [one for one in records if one.state is VisitState.DONE]
    keys = {visit.number: visit.key for visit in after}

    assert after[: len(before)] == before
    assert set(Counter(one.block for one in done).values()) == {1}
    for one in done:
        assert one.live_before["/props total_slots"] == ("4" if "max_num_seqs=4" in keys[one.block] else "1")
    assert not held
