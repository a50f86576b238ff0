"""A file of settings: it gets a text, or is removed; owner, mode, attributes and time of the old one come back."""

__all__ = ["KIND"]

import base64
from typing import Any

from sparktune.agent.failures import SomethingElse, StepFailed
from sparktune.agent.kind import Reading, Step
from sparktune.agent.machine import Machine
from sparktune.agent.machine_files import MOST_BYTES
from sparktune.agent.steps._shared import PathKind, want

_MOST_MODE = 0o777


class _File(PathKind):
    name = "file"
    content = "text"

    def look(self, machine: Machine, step: Step) -> Reading:
        path = want(step, "path", str)
        _check(path, step)
        found = machine.files.capture(path)
        if found is not None and "target" in found:
            message = f"{path} is a link to {found['target']}: what it leads to may be used by others"
            raise SomethingElse(message, f"a link to {found['target']}")
        return {path: found}

    def put(self, machine: Machine, step: Step, now: Any) -> None:  # noqa: ANN401
        machine.files.put_file(step["path"], {**_kept(now, want(step, "mode", int)), "text": step["text"]})

    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401
        del item
        return _bytes(value) == (None if step.get("text") is None else step["text"].encode())

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401
        """Compare all but times and what folders there are."""
        del step
        if _bytes(one) != _bytes(other):
            return False
        return _bytes(one) is None or all(one.get(name) == other.get(name) for name in ("mode", "uid", "gid", "xattrs"))

    def shown(self, value: Any) -> str | None:  # noqa: ANN401
        data = _bytes(value)
        return None if data is None else data.decode("utf-8", "replace")


def _check(path: str, step: Step) -> None:
    """Raise StepFailed for what could be written and then not be looked at, or be a file that nobody means."""
    text = step.get("text")
    if text is None:
        return
    if len(want(step, "text", str).encode()) > MOST_BYTES:
        message = f"{path} would be longer than {MOST_BYTES} bytes"
        raise StepFailed(message)
    if not 0 <= want(step, "mode", int) <= _MOST_MODE:
        message = f"{path} would have the mode {step['mode']:o}, which is none of a file of settings"
        raise StepFailed(message)


def _bytes(value: Any) -> bytes | None:  # noqa: ANN401
    """Return a captured file's content, None for no file."""
    if not value or "missing" in value:
        return None
    return base64.b64decode(value["base64"]) if "base64" in value else str(value["text"]).encode()


def _kept(now: Any, mode: int) -> dict[str, Any]:  # noqa: ANN401
    if _bytes(now) is None:
        return {"mode": mode}
    return {name: now[name] for name in ("mode", "uid", "gid", "xattrs")}


KIND = _File()
