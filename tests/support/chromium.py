"""A real browser without a window: opens a file at a width and in a theme, and says what is wrong with the page.

It is told what to do over two pipes, in the DevTools protocol, so that nothing but the standard library is needed.
Source: https://chromedevtools.github.io/devtools-protocol/ and Chromium's ``--remote-debugging-pipe`` (messages are
JSON, each ends with a zero byte; the browser reads descriptor 3 and writes descriptor 4).
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_TALLEST = 16_000  # pixels; what is longer is cut in the picture
_OVERFLOW = """
(() => { const wide = document.documentElement.clientWidth; const found = [];
  for (const one of document.querySelectorAll('body *')) {
    const box = one.getBoundingClientRect();
    if (box.right > wide + 1 && !one.closest('.scroll')) found.push(one.tagName + '.' + one.className); }
  return JSON.stringify({scroll: document.documentElement.scrollWidth, wide,
    high: document.documentElement.scrollHeight,
    found: found.slice(0, 5), background: getComputedStyle(document.body).backgroundColor}); })()
"""


def find() -> str | None:
    """Return the browser's program, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A page as it was shown. ``scroll`` wider than ``width`` means that it scrolls sideways, ``beyond`` says what.

    ``problems`` are messages of the console and exceptions; ``requests`` are addresses besides the file itself.
    """

    width: int
    scroll: int
    beyond: tuple[str, ...]
    background: str
    problems: tuple[str, ...]
    requests: tuple[str, ...]
    png: bytes


class Chromium:
    """A browser with a profile of its own, gone with it."""

    def __init__(self, program: str) -> None:
        """Start it."""
        self._profile = tempfile.mkdtemp(prefix="sparktune-chromium-")
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        command = [program, *_FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        # The browser wants 3 and 4, whatever the numbers are here.
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "chromium", *command],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._left = b""
        self._number = 0
        self._events: list[Mapping[str, Any]] = []

    def __enter__(self) -> Self:
        """It is ready when it answers."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and remove its profile."""
        try:
            self._ask("Browser.close")
        except (OSError, EOFError):
            pass
        finally:
            os.close(self._to)
            os.close(self._from)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            shutil.rmtree(self._profile, ignore_errors=True)

    def look(self, file: Path, *, width: int, dark: bool = False, scale: float = 1.0, tallest: int = _TALLEST) -> Seen:
        """Open a file and return how it looks; a picture ends after ``tallest`` pixels."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable", session)
        theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", session, features=theme)
        sizes = {"width": width, "height": 844, "deviceScaleFactor": scale, "mobile": width < 600}
        self._ask("Emulation.setDeviceMetricsOverride", session, **sizes)
        self._ask("Page.navigate", session, url=file.resolve().as_uri())
        self._wait("Page.loadEventFired")
        told = json.loads(self._ask("Runtime.evaluate", session, expression=_OVERFLOW)["result"]["value"])
        clip = {"x": 0, "y": 0, "width": width, "height": min(told["high"], tallest), "scale": 1}
        shot = self._ask("Page.captureScreenshot", session, clip=clip, captureBeyondViewport=True)
        seen = Seen(
            width=told["wide"],
            scroll=told["scroll"],
            beyond=tuple(told["found"]),
            background=told["background"],
            problems=tuple(self._problems()),
            requests=tuple(self._requests(file)),
            png=base64.b64decode(shot["data"]),
        )
        self._ask("Target.closeTarget", targetId=target)
        return seen

    def _problems(self) -> list[str]:
        found = []
        for event in self._events:
            if event["method"] == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(str(event["params"]["args"]))
        return found

    def _requests(self, file: Path) -> list[str]:
        own = file.resolve().as_uri()
        sent = [event["params"] for event in self._events if event["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent if one["request"]["url"] != own]

    def _ask(self, method: str, session: str = "", /, **params: object) -> Mapping[str, Any]:
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    message = f"{method}: {answer['error']}"
                    raise RuntimeError(message)
                result: Mapping[str, Any] = answer["result"]
                return result
            if "method" in answer:
                self._events.append(answer)

    def _wait(self, method: str) -> None:
        while not any(event["method"] == method for event in self._events):
            event = self._next()
            if "method" in event:
                self._events.append(event)

    def _next(self) -> Mapping[str, Any]:
        while b"\0" not in self._left:
            found = os.read(self._from, 1 << 16)
            if not found:
                message = "the browser has ended"
                raise EOFError(message)
            self._left += found
        message, _, self._left = self._left.partition(b"\0")
        told: Mapping[str, Any] = json.loads(message)
        return told
