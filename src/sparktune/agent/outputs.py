"""The commands of a sample: at every tick, or more seldom and then beside the ticks."""

__all__ = ["Outputs"]

import threading
import time
from typing import Any

from sparktune.agent.observe import Observer
from sparktune.agent.results import Result

_LONGEST_WHY = 200


class Outputs:
    """What each command printed last, and ``why`` some have no text."""

    def __init__(self, observer: Observer, commands: list[dict[str, Any]]) -> None:
        """Keep the commands; nothing runs yet."""
        self._commands = [(" ".join(ask["argv"]), _Asked(observer, ask)) for ask in commands]
        self._texts: dict[str, str] = {}
        self.why: dict[str, str] = {}

    def add_changes(self, changed: dict[str, str], gone: list[str]) -> None:
        """Take what there is of each command; one that fails has no text."""
        for name, asked in self._commands:
            result = asked.result()
            if result is None:
                continue
            self.why[name] = _why(result)
            if self.why[name]:
                if self._texts.pop(name, None) is not None:
                    gone.append(name)
            elif self._texts.get(name) != result["value"]["stdout"]:
                self._texts[name] = changed[name] = result["value"]["stdout"]


class _Asked:
    """One command. With ``every_s`` it runs in a thread: a program that hangs, as a driver's may, delays no tick."""

    def __init__(self, observer: Observer, ask: dict[str, Any]) -> None:
        self._observer, self._ask = observer, ask
        self._every_s = float(ask.get("every_s", 0.0))
        self._due = 0.0
        self._running = False
        self._latest: Result | None = None

    def result(self) -> Result | None:
        """Return a new result, None when there is none; see that it is asked again when it is time."""
        if self._every_s <= 0:
            return self._observer.read(self._ask)
        latest, self._latest = self._latest, None
        now = time.monotonic()
        if not self._running and now >= self._due:
            self._running, self._due = True, now + self._every_s
            # A daemon: this process must be able to end without it.
            threading.Thread(target=self._run, daemon=True).start()
        return latest

    def _run(self) -> None:
        try:
            self._latest = self._observer.read(self._ask)
        finally:
            self._running = False


def _why(result: Result) -> str:
    if result["state"] == "absent":
        return "it is not installed"
    if result["state"] != "present":
        return str(result["why"])
    value = result["value"]
    if value["code"] == 0:
        return ""
    said = " ".join((value["stderr"] or value["stdout"]).split())[:_LONGEST_WHY]
    return f"exit code {value['code']}" + (f": {said}" if said else "")
