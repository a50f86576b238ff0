"""The demo: a real server with a small real model, and a workload that shows what sharing does, in two minutes."""

__all__ = ["DEMO_SLOTS", "demo_workload"]

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


def demo_workload(model: str) -> Workload:
    """Return the demo's workload: the same short request alone, in twos, and in as many as the server has slots."""
    cells = tuple(
        Cell(prompt_tokens=_PROMPT_TOKENS, output_tokens=_OUTPUT_TOKENS, concurrency=streams) for streams in _STREAMS
    )
    return Workload(
        cells=cells,
        trials=_TRIALS,
        options=SendOptions(model=model),
        warmup=WarmupPlan(waves=_WARMUP_WAVES),
    )
