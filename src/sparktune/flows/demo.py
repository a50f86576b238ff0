"""The demo: a small real model, an experiment on two agents at one server, and the table that bench makes of it."""

__all__ = ["DEMO_SLOTS", "demo_experiment", "demo_workload"]

from collections.abc import Mapping, Sequence
from typing import Any

from sparktune.model.cell import Cell
from sparktune.model.options import SendOptions
from sparktune.model.warmup import WarmupPlan
from sparktune.model.workload import Workload

DEMO_SLOTS = 4
_STREAMS = (1, 2, DEMO_SLOTS)
# Short, since one core reads about 80 prompt tokens a second with SmolLM2-135M, and all streams share it.
_PROMPT_TOKENS = 64
_OUTPUT_TOKENS = 32
# Five, so that one slow trial of a busy machine does not look like a cold start.
_TRIALS = 5
_WARMUP_WAVES = 1

_AGENTS = 2
# Writing an answer takes longer than reading both prompts: so it is felt who waits for somebody else's whole answer.
_AGENT_PROMPT_TOKENS = 8
_AGENT_OUTPUT_TOKENS = 32
# The effect is large: three blocks decide on a quiet machine, five on a busy one, and eight would take too long.
_BLOCKS = 5


def demo_workload(model: str) -> Workload:
    """Return the table's workload: the same short request alone, in twos, and in as many as the server has slots."""
    cells = tuple(
        Cell(prompt_tokens=_PROMPT_TOKENS, output_tokens=_OUTPUT_TOKENS, concurrency=streams) for streams in _STREAMS
    )
    return Workload(
        cells=cells,
        trials=_TRIALS,
        options=SendOptions(model=model),
        warmup=WarmupPlan(waves=_WARMUP_WAVES),
    )


def demo_experiment(server: Sequence[str], port: int) -> Mapping[str, Any]:
    """Return the experiment as its file would have it: two agents at a server of one slot, or of several.

    ``server`` is the command that serves at ``port``, without its slots.
    """
    return {
        "name": "two agents, one server",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "a": {"command": [*server, "--parallel", "1"]},
        "b": {"command": [*server, "--parallel", str(DEMO_SLOTS)]},
        "live": {"http": "/props", "keys": "total_slots", "A": 1, "B": DEMO_SLOTS},
        "workload": {
            "prompt_tokens": _AGENT_PROMPT_TOKENS,
            "output_tokens": _AGENT_OUTPUT_TOKENS,
            "concurrency": _AGENTS,
            "warmup": _WARMUP_WAVES,
            "api": "completions",  # a chat template would be longer than the prompt
        },
        "primary": "ttft_max_s",
        "guards": ["ttft_mean_s", "decode_min_tok_s"],
        "max_blocks": _BLOCKS,
        # A model of megabytes on anybody's machine: memory is watched, a quiet minute after each visit is not needed.
        "guard": {"tail_s": 0, "available_floor": "256MiB"},
    }
