"""A trace as a file: what it holds becomes the traffic of a corpus, whose text stands for the prompts."""

__all__ = ["replay_of", "traffic_corpus", "with_text_of"]

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sparktune.bench.corpus import Corpus
from sparktune.bench.traffic.reader import read_traffic
from sparktune.errors import UsageError
from sparktune.io.named_file import open_named
from sparktune.model.mix import Replay
from sparktune.model.traffic import Traffic
from sparktune.units import Bytes

_MOST_LINE_BYTES: Bytes = 64 * 1024 * 1024


def traffic_corpus(path: Path, corpus: Corpus, *, limit: int | None = None) -> Corpus:
    """Read a trace, the first ``limit`` requests of it; prompts are made of ``corpus``. Raises UsageError."""
    try:
        with open_named(path) as stream:
            traffic = read_traffic(path.name, _lines(path, stream), limit=limit)
    except OSError as error:
        message = f"the trace {path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="write one with: sparktune record --listen 9000 --to URL") from None
    return _with(corpus, traffic)


def with_text_of(text: Corpus, corpus: Corpus) -> Corpus:
    """Return the traffic of ``corpus`` with another text to make prompts of."""
    return corpus if corpus.traffic is None else _with(text, corpus.traffic)


def replay_of(corpus: Corpus, time_scale: float) -> Replay:
    """Return what identifies the traffic of a corpus in a cell. Raises ValueError for a corpus without traffic."""
    traffic = corpus.traffic
    if traffic is None:
        message = f"corpus {corpus.name} has no traffic"
        raise ValueError(message)
    return Replay(name=traffic.name, digest=traffic.digest, count=len(traffic.requests), time_scale=time_scale)


def _with(corpus: Corpus, traffic: Traffic) -> Corpus:
    return replace(corpus, name=f"traffic:{traffic.name}:{traffic.digest}:{corpus.name}", traffic=traffic)


def _lines(path: Path, stream: Iterator[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(stream, start=1):
        if len(line) > _MOST_LINE_BYTES:
            message = f"{path} line {number} has {len(line):,} bytes: that is no line of a trace"
            raise UsageError(message)
        yield line
