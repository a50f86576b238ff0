"""Shared memory of a container that is too small for several processes, or a large part of unified memory."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, key_text, number, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[kmg]?)(?:i?b)?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}
_GIB = 1024**3
_MUCH = 48 * _GIB
_LITTLE = 1 * _GIB
_NAMES = ("shm_size", "executor_config.shm_size")


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    setting = next((part.keys[name] for name in _NAMES if name in part.keys), None)
    if setting is None:
        yield from _default(part)
        return
    size = _bytes(str(setting.value or ""))
    if size is not None and size >= _MUCH:
        yield at(
            setting,
            Severity.WARNING,
            f"shm_size is {setting.value}: it may take that much of the one memory that CPU and GPU share",
            "sparkrun starts engines on a GB10 with 32gb; take what you have seen to be used (df /dev/shm inside)",
        )
    elif size is not None and size < _LITTLE and _processes(part):
        yield at(
            setting,
            Severity.WARNING,
            f"shm_size is {setting.value}, and {_processes(part)} processes share memory",
            "give it several GiB, or ipc: host",
        )


def _default(part: Part) -> Iterator[Found]:
    image = part.keys.get("image")
    if image is None or part.document.format == "recipe" or key_text(part, "ipc") == "host" or not _processes(part):
        return
    yield at(
        image,
        Severity.WARNING,
        f"{_processes(part)} processes share memory, and docker gives the container 64 MiB of it",
        "set ipc: host, or shm_size to several GiB",
    )


def _processes(part: Part) -> int:
    """Return the size of a tensor-parallel group, 0 for one process."""
    found = number(part, "tensor_parallel_size", "tp_size")
    return int(found) if found is not None and found > 1 else 0


def _bytes(text: str) -> float | None:
    found = _SIZE.fullmatch(text.strip())
    return float(found["number"]) * 1024 ** _POWERS[found["unit"].lower()] if found else None


RULE = part_rule(
    "shm-size",
    title="shared memory that is too small, or too large for unified memory",
    why="With docker's default of 64 MiB NCCL and the engine's own messages fail; a large one is taken from the memory "
    "that weights and cache need.",
    source="docker run --shm-size; docs.vllm.ai, deployment with docker (--ipc=host); sparkrun 0.4.2 on GB10",
    judge=_judge,
)
