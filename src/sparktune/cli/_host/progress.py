"""The line that says what is being done on which node, while it is done; on a terminal's stderr only."""

__all__ = ["host_progress"]

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from sparktune.flows.host.verbs import HostProgress
from sparktune.report.bench.words import one_line


@contextmanager
def host_progress(*, quiet: bool) -> Iterator[HostProgress]:
    """Yield what to tell progress to; it shows nothing where nobody watches, or wants to."""
    if quiet or not sys.stderr.isatty():
        yield lambda _node, _what: None
        return
    console = Console(stderr=True, highlight=False, markup=False)
    with console.status("") as status:

        def tell(node: str, what: str) -> None:
            status.update(one_line(f"{node}: {what}" if node else what))

        yield tell
