"""The commands and logs of a sample: at every tick, or more seldom and then beside the ticks."""

__all__ = ["Outputs"]

import threading
import time
from typing import Any

from sparktune.agent.observe import Observer
from sparktune.agent.results import Result

_LONGEST_WHY = 200


class Outputs:
    """What each command printed last, what was counted of each log, and ``why`` some have no text."""

    def __init__(self, observer: Observer, asks: list[dict[str, Any]]) -> None:
        """Keep the reads of the kinds command and count; nothing runs yet."""
        self._asked = [(_name(ask), _Asked(observer, ask)) for ask in asks]
        self._texts: dict[str, str] = {}
        self.why: dict[str, str] = {}

    def add_changes(self, changed: dict[str, str], gone: list[str]) -> None:
        """Take what there is of each; one that fails has no text."""
        for name, asked in self._asked:
            result = asked.result()
            if result is None:
                continue
            self.why[name] = asked.why(result)
            if self.why[name]:
                if self._texts.pop(name, None) is not None:
                    gone.append(name)
                continue
            value = result["value"]
            text = value["stdout"] if isinstance(value, dict) else value
            if self._texts.get(name) != text:
                self._texts[name] = changed[name] = text


class _Asked:
    """One of them. With ``every_s`` a command runs in a thread: one that hangs in its driver delays no tick."""

    def __init__(self, observer: Observer, ask: dict[str, Any]) -> None:
        self._observer, self._ask = observer, ask
        self._every_s = float(ask.get("every_s", 0.0))
        self._due = 0.0
        self._running = False
        self._latest: Result | None = None

    def result(self) -> Result | None:
        """Return a new result, None when there is none; see that it is asked again when it is time."""
        if self._ask["kind"] == "count":
            return self._observer.read_whole(self._ask)
        if self._every_s <= 0:
            return self._observer.read(self._ask)
        latest, self._latest = self._latest, None
        now = time.monotonic()
        if not self._running and now >= self._due:
            self._running, self._due = True, now + self._every_s
            # A daemon: this process must be able to end without it.
            threading.Thread(target=self._run, daemon=True).start()
        return latest

    def why(self, result: Result) -> str:
        """Return why a result is no text, "" when it is one."""
        is_command = self._ask["kind"] == "command"
        if result["state"] == "absent":
            return "it is not installed" if is_command else "it is not there"
        if result["state"] != "present":
            return str(result["why"])
        if not is_command or result["value"]["code"] == 0:
            return ""
        value = result["value"]
        said = " ".join((value["stderr"] or value["stdout"]).split())[:_LONGEST_WHY]
        return f"exit code {value['code']}" + (f": {said}" if said else "")

    def _run(self) -> None:
        try:
            self._latest = self._observer.read(self._ask)
        finally:
            self._running = False


def _name(ask: dict[str, Any]) -> str:
    return " ".join(ask["argv"]) if ask["kind"] == "command" else str(ask["path"])
