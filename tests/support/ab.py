"""Experiment files, and what is left when an experiment is over."""

import json
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from ruamel.yaml import YAML
from tests.support.cli import Finished, run_sparktune

from sparktune.io.reference.prompts import BLOCK_TOKENS
from sparktune.io.reference.tally import BLOCKS

# Short waves, and a difference far above the noise of any machine that runs tests.
WORKLOAD = {"prompt_tokens": 32, "output_tokens": 16, "warmup": 1}
SLOW, QUICK = "12", "4"
_LONG_TOKENS = 64
# No quiet minute after each visit, and limits that only this test could cross, not others on the same machine.
GUARD = {"tail_s": 0, "available_floor": "64MiB", "seconds_to_floor": None, "swap_pages": None, "stall_share": None}


def listens(port: int) -> bool:
    """Tell whether something does."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def writes_long_answers(port: int) -> bool:
    """Tell whether a reference server that shows vLLM's metrics is in the middle of an answer that counts.

    Its prompts and answers together hold more tokens than the question by which a start is judged ever has.
    """
    try:
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
    except OSError:
        return False
    share = next(float(line.split()[-1]) for line in lines if line.startswith("vllm:kv_cache_usage_perc"))
    return share * BLOCKS * BLOCK_TOKENS > _LONG_TOKENS


def server_argv(port: int, itl_ms: str) -> list[str]:
    """Return the command of a reference server with this time per token."""
    return [sys.executable, "-m", "sparktune.io.reference", "--port", str(port), "--ttft-ms", "5", "--itl-ms", itl_ms]


def command_experiment(port: int, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as a file may say
    """Return an experiment in which every arm is a server of its own, and B takes a third of A's time per token."""
    return {
        "name": "step time",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "a": {"command": server_argv(port, SLOW)},
        "b": {"command": server_argv(port, QUICK)},
        "workload": WORKLOAD,
        "max_blocks": 5,
        "seed": 1,
        "guard": GUARD,
        **changes,
    }


def write_experiment(folder: Path, content: dict[str, Any]) -> Path:
    """Write an experiment file."""
    path = folder / "experiment.yaml"
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(content, file)
    return path


def run_experiment(folder: Path, content: dict[str, Any], *flags: str) -> Finished:
    """Run an experiment without asking, and take its result as JSON."""
    return run_sparktune("ab", str(write_experiment(folder, content)), "--yes", "--json", *flags)


def result_of(finished: Finished) -> dict[str, Any]:
    """Return the JSON that was printed, with what went wrong when there is none."""
    assert finished.out, finished.err
    return dict(json.loads(finished.out))


_SWITCH = (
    "import sys, urllib.request as web; "
    "web.urlopen(web.Request(sys.argv[1] + '/__cfg', data=sys.argv[2].encode(), method='POST')).read()"
)


def switch_argv(base_url: str, knobs: dict[str, Any]) -> list[str]:
    """Return a command that switches a running reference server."""
    return [sys.executable, "-c", _SWITCH, base_url.removesuffix("/v1"), json.dumps(knobs)]


def attach_experiment(base_url: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as a file may say
    """Return an experiment on one server that a script switches between two times per token."""
    return {
        "url": base_url,
        "launcher": "attach",
        "knob": "itl_ms",
        "a": {"switch": switch_argv(base_url, {"ttft_ms": 5.0, "itl_ms": float(SLOW)})},
        "b": {"switch": switch_argv(base_url, {"ttft_ms": 5.0, "itl_ms": float(QUICK)})},
        "live": {"http": "/__cfg", "keys": "itl_ms", "A": f"{float(SLOW)}", "B": f"{float(QUICK)}"},
        "workload": WORKLOAD,
        "max_blocks": 5,
        "seed": 1,
        "guard": GUARD,
        **changes,
    }
