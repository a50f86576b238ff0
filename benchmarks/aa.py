"""Measure the same arm twice with a real llama.cpp server, many times, and print every verdict: ``make bench-aa``.

Both arms are the same command, each visit starts a server of its own, so every win would be a false one. By design
fewer than 5 % of such experiments come to one, all looks together (``make sim`` shows the same in simulated worlds).
Ends with 1 when there was one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.ab import free_port
from tests.support.tiny_gguf import write_tiny_model

_FALSE = frozenset({"IMPROVED", "REGRESSED"})


def main() -> int:
    """Run the experiments, one line each, then the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=3, choices=(3, 5, 8))
    parser.add_argument("--model", type=Path, help="a .gguf file; a tiny one with random weights unless given")
    parser.add_argument("--prompt-tokens", type=int, default=32)
    parser.add_argument("--output-tokens", type=int, default=64)
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or write_tiny_model(Path(folder) / "tiny.gguf")
        for run in range(1, given.runs + 1):
            began = time.monotonic()
            result = _experiment(given, model.absolute(), Path(folder), seed=run)
            found[_verdict(result)] += 1
            took = time.monotonic() - began
            print(f"{run:3} {took:4.0f} s  {result['sentence']}", flush=True)
    print("; ".join(f"{name}: {count}" for name, count in sorted(found.items())))
    return int(any(found[name] for name in _FALSE))


def _verdict(result: dict[str, Any]) -> str:
    return str(result["verdict"])


def _experiment(given: argparse.Namespace, model: Path, folder: Path, *, seed: int) -> dict[str, Any]:
    port = free_port()
    server = [sys.executable, "-m", "sparktune.io.demo_child", "--model", str(model), "--port", str(port)]
    experiment = {
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "a": {"command": [*server, "--with-parent", "--parallel", "4"]},
        "aa": True,
        "live": {"http": "/props", "keys": "total_slots", "A": 4},
        "workload": {
            "prompt_tokens": given.prompt_tokens,
            "output_tokens": given.output_tokens,
            "concurrency": given.concurrency,
            "warmup": 2,
        },
        "max_blocks": given.blocks,
        "seed": seed,
        # What swaps in a minute after a visit matters where a model fills the machine; this one is half a megabyte.
        "guard": {"tail_s": 0},
    }
    file = folder / "aa.yaml"
    file.write_text(json.dumps(experiment), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "sparktune", "ab", str(file), "--yes", "--json"],
        env={**os.environ, "SPARKTUNE_DATA": str(folder / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        sys.exit(done.stderr)
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
