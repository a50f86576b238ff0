"""Decide how many tokens each output chunk carried, or say that it cannot be known.

Source: the order of trust of ``model.timeline.CountMethod``. Chunks are never taken for tokens, with one exception
that is arithmetic: every output chunk holds at least one token, so when there are as many chunks as tokens each holds
one.
"""

__all__ = ["Counted", "count"]

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.bench.stream import Stream
from sparktune.model.timeline import CountMethod
from sparktune.units import Nanoseconds, Ratio, Tokens

_TOLERANCE: Ratio = 0.02  # a larger disagreement of the server with itself is told and its counts are not used
_WORD = "q"  # 64 bits: one per token of a run, so that it matters


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The output chunks and what is known of their tokens; fields as in ``Timeline``."""

    method: CountMethod
    output_ns: Sequence[Nanoseconds]
    output_tokens: Sequence[Tokens] | None = None
    first_tokens: Tokens | None = None
    first_text: str = ""
    notes: tuple[str, ...] = ()


def count(stream: Stream, total: Tokens | None, first_tokens: Tokens | None) -> Counted:
    """Count a gathered stream. ``total`` is the final usage, ``first_tokens`` a tokenizer's count of the first text."""
    method, counts = _told(stream)
    if method is not None:
        rows = [row for row, shows in enumerate(stream.shows) if shows or counts[row]]
        at_ns = [stream.at_ns[row] for row in rows]
        tokens = [counts[row] for row in rows]
        _add_last(stream, rows, at_ns, tokens, total)
        added = sum(tokens)
        if total is None or abs(total - added) <= _TOLERANCE * total:
            return Counted(
                method=method,
                output_ns=array(_WORD, at_ns),
                output_tokens=array(_WORD, tokens),
                first_tokens=tokens[0] if tokens else None,
                first_text=stream.texts[rows[0]] if rows else "",
            )
        note = f"the counts of the chunks add up to {added} tokens, the final usage says {total}"
        return _from_total(stream, total, first_tokens, (note,))
    return _from_total(stream, total, first_tokens, ())


def _told(stream: Stream) -> tuple[CountMethod | None, list[Tokens]]:
    """Return tokens per row where the server told them for every chunk with text."""
    texts = sum(stream.shows)
    if any(ids > 0 for ids in stream.ids) and _on_every_text(stream, stream.ids):
        return CountMethod.TOKEN_IDS, [max(ids, 0) for ids in stream.ids]
    # A total on the last chunk alone is no running count: then it comes without text before it, or once.
    if (texts or stream.counted > 1) and stream.counted and _on_every_text(stream, stream.running):
        return (CountMethod.TIMINGS if stream.timed else CountMethod.RUNNING_USAGE), _rises(stream.running)
    return None, []


def _on_every_text(stream: Stream, column: list[Tokens]) -> bool:
    return all(value >= 0 for value, shows in zip(column, stream.shows, strict=True) if shows)


def _rises(running: list[Tokens]) -> list[Tokens]:
    """Return how far the total rose with each row; a total that fell back adds nothing."""
    rises: list[Tokens] = []
    highest = 0
    for value in running:
        rises.append(max(value - highest, 0))
        highest = max(highest, value)
    return rises


def _add_last(
    stream: Stream, rows: list[int], at_ns: list[Nanoseconds], tokens: list[Tokens], total: Tokens | None
) -> None:
    """Give the finish chunk what the final usage has more than the chunks told.

    The token that ends a natural stop (EOS) shows nothing, and llama.cpp and SGLang tell no running count on the finish
    chunk, which they send in the step of that token.
    """
    missing = 0 if total is None else total - sum(tokens)
    if total is None or stream.finish_ns is None or not 0 < missing <= max(1, int(_TOLERANCE * total)):
        return
    if stream.finish_row in rows:
        tokens[rows.index(stream.finish_row)] += missing
    else:
        at_ns.append(stream.finish_ns)
        tokens.append(missing)


def _from_total(stream: Stream, total: Tokens | None, first_tokens: Tokens | None, notes: tuple[str, ...]) -> Counted:
    """Fall back to what the total alone says."""
    rows = [row for row, shows in enumerate(stream.shows) if shows or stream.ids[row] > 0]
    output_ns = array(_WORD, [stream.at_ns[row] for row in rows])
    first_text = stream.texts[rows[0]] if rows else ""
    tokens: Sequence[Tokens] | None = None
    if not total:
        method, first = (CountMethod.NONE if total is None else CountMethod.TOTAL_ONLY), None
    elif total == len(rows):
        method, first, tokens = CountMethod.ONE_PER_CHUNK, 1, array(_WORD, [1]) * total
    elif first_tokens is not None and rows and first_tokens <= total:
        method, first = CountMethod.TOKENIZED_FIRST, first_tokens
    else:
        method, first = CountMethod.TOTAL_ONLY, None
    return Counted(
        method=method,
        output_ns=output_ns,
        output_tokens=tokens,
        first_tokens=first,
        first_text=first_text,
        notes=notes,
    )
