"""Containers of a captured tree: the answer of ``docker inspect``, of which one value at a time is replaced."""

__all__ = ["Containers"]

import json
import re
from collections.abc import Iterator
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.protocol import command_slug
from sparktune.agent.tree_texts import Texts

_ANSWER = f"/commands/{command_slug(('docker', 'inspect'))}.txt"
_CPUSET = re.compile(r'("CpusetCpus"\s*:\s*)"[^"]*"')


class Containers:
    """By full id."""

    def __init__(self, texts: Texts) -> None:
        """Take the texts."""
        self._texts = texts

    def find(self, full_id: str) -> dict[str, Any] | None:
        """Return a container, None when the tree has none of this id."""
        return next((one for one, _start, _end in self._all() if one.get("Id") == full_id), None)

    def show_cpuset(self, full_id: str, cpus: str) -> None:
        """Write a container's cpuset; the rest of the answer stays as it is, to the byte. Raises StepFailed."""
        text = self._texts.read(_ANSWER) or ""
        for one, start, end in self._all():
            if one.get("Id") == full_id:
                changed, times = _CPUSET.subn(rf'\g<1>"{cpus}"', text[start:end], count=1)
                if times:
                    self._texts.replace(_ANSWER, text[:start] + changed + text[end:])
                    return
        message = f"the tree does not say which CPUs container {full_id[:12]} has"
        raise StepFailed(message)

    def _all(self) -> Iterator[tuple[dict[str, Any], int, int]]:
        """Yield the containers, and where in the text they are."""
        text = self._texts.read(_ANSWER) or ""
        decoder, at = json.JSONDecoder(), text.find("[") + 1
        while (start := text.find("{", at)) >= 0:
            try:
                one, at = decoder.raw_decode(text, start)
            except (ValueError, RecursionError):
                return
            if isinstance(one, dict):
                yield one, start, at
