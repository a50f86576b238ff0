"""When a vLLM is ready, and what it compiles or tunes, before and after.

Source: vLLM 0.21 to 0.33, jit_monitor.py; uvicorn's "Application startup complete"; FlashInfer, autotuner.py.
"""

__all__ = ["READER"]

import re
from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine

_TUNED = re.compile(r"\[Autotuner\]: Autotuning process (?P<what>starts|ends)")


def _moments(line: LogLine) -> Iterator[LogFact]:
    if "Application startup complete" in line.text:
        yield fact("ready", True, line)
    elif "Kernel JIT monitor activated" in line.text:
        yield fact("jit_monitor", True, line)
    tuned = _TUNED.search(line.text)
    if tuned is not None:
        yield fact("autotune", tuned["what"], line)


READER = pattern_reader(
    "",
    (
        "Application startup complete",
        "Kernel JIT monitor activated",
        "JIT compilation during inference: ",
        "[Autotuner]: Autotuning process",
    ),
    (r"JIT compilation during inference: (?P<jit_compiled>[^\s]{1,200}?)\.?(?:\s|$)",),
    (_moments,),
)
