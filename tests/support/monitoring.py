"""An exporter that serves, and Prometheus' own tools, for tests."""

__all__ = ["needs_prometheus", "scrape", "serving"]

import re
import shutil
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support.cli import start_sparktune

needs_prometheus = pytest.mark.skipif(
    shutil.which("promtool") is None or shutil.which("prometheus") is None,
    reason="needs prometheus and promtool in PATH; Debian's package prometheus has both",
)

_LIMIT_S = 60


@contextmanager
def serving(*flags: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Serve on a free port; yield the process and the port, and end it."""
    process = start_sparktune("export", "prometheus", "--listen", "0", *flags)
    assert process.stderr is not None
    try:
        told = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", told)
        assert found, told + process.stderr.read()
        yield process, int(found[1])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=_LIMIT_S)


def scrape(port: int) -> str:
    """Return what a scrape gets."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=_LIMIT_S) as answer:
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        return answer.read().decode()
