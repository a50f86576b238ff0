"""Lines that are JSON: Docker's json-file driver, vLLM with a JSON formatter, llama.cpp ``--log-jsonl``.

Sources: docs.docker.com, json-file (``log``, ``stream``, ``time``); docs.vllm.ai, vLLM 0.32, logging configuration
(``asctime``, ``levelname``, ``vllm_process_name``, ``message``); a log may have any other formatter of Python, so that
the usual names of members are tried.
"""

__all__ = ["JsonLine", "json_of"]

import json
from dataclasses import dataclass

_TEXT = ("log", "message", "msg", "MESSAGE", "event")
_LEVEL = ("level", "levelname", "severity", "lvl", "log.level")
_TIME = ("time", "timestamp", "@timestamp", "asctime", "ts")
_PROCESS = ("vllm_process_name", "processName", "process_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLine:
    """The members that matter, each "" where it is not there; ``time`` as it is written."""

    text: str
    level: str = ""
    process: str = ""
    time: str = ""


def json_of(text: str) -> JsonLine | None:
    """Return what a line of JSON says; None where it is none, or has no message."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    name = next((name for name in _TEXT if isinstance(record.get(name), str)), None)
    if name is None:
        return None

    def first(names: tuple[str, ...]) -> str:
        return next((value for one in names if isinstance(value := record.get(one), str)), "")

    return JsonLine(text=record[name], level=first(_LEVEL), process=first(_PROCESS), time=first(_TIME))
