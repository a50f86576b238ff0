"""How many requests a server says that it works on, from one answer of its metrics route. Pure.

An exposition has thousands of lines and is read beside a running wave: only lines that may tell it are parsed.
"""

__all__ = ["running_now"]

from typing import Final

from sparktune.bench.exposition import parse_exposition
from sparktune.model.engine import Engine
from sparktune.model.raw import Scrape

_WORDS: Final = (b"running", b"processing")


def running_now(engine: Engine, scrape: Scrape) -> int | None:
    """Return the number of running requests, None where the engine does not tell."""
    lines = [line for line in scrape.body.split(b"\n") if any(word in line for word in _WORDS)]
    told = engine.gauges(parse_exposition(b"\n".join(lines) + b"\n"), scrape.at_ns).running
    return None if told is None else round(told)
