"""Decide how many tokens each output chunk carried, or say that it cannot be known.

Source: the order of trust of ``model.timeline.CountMethod``. Chunks are never taken for tokens, with one exception
that is arithmetic: every output chunk holds at least one token, so when there are as many chunks as tokens each holds
one.
"""

__all__ = ["Counted", "count"]

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.bench.stream import Row, Stream
from sparktune.model.timeline import CountMethod
from sparktune.units import Nanoseconds, Ratio, Tokens

_TOLERANCE: Ratio = 0.02  # a larger disagreement of the server with itself is told and its counts are not used
# Tokens at the end that show nothing: up to three bytes of a character that never became whole, and the one that ends
# the answer. Of a short answer, no more than a quarter: then it is the server that counts wrongly.
_UNSHOWN: Tokens = 4
_UNSHOWN_SHARE: Ratio = 0.25
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
    if method is None:
        return _from_total(stream, total, first_tokens, ())
    kept = [place for place, row in enumerate(stream.rows) if row[1] is not None or counts[place]]
    at_ns = [stream.rows[place][0] for place in kept]
    tokens = [counts[place] for place in kept]
    _add_last(stream, kept, at_ns, tokens, total)
    added = sum(tokens)
    if total is not None and abs(total - added) > _TOLERANCE * total:
        note = f"the counts of the chunks add up to {added} tokens, the final usage says {total}"
        return _from_total(stream, total, first_tokens, (note,))
    return Counted(
        method=method,
        output_ns=array(_WORD, at_ns),
        output_tokens=array(_WORD, tokens),
        first_tokens=tokens[0] if tokens else None,
        first_text=_first_text(stream, kept),
    )


def _told(stream: Stream) -> tuple[CountMethod | None, list[Tokens]]:
    """Return tokens per row where the server told them for every chunk with text."""
    rows = stream.rows
    with_text = [row for row in rows if row[1] is not None]
    if any(ids > 0 for _, _, ids, _ in rows) and all(ids >= 0 for _, _, ids, _ in with_text):
        return CountMethod.TOKEN_IDS, [max(ids, 0) for _, _, ids, _ in rows]
    # A total on the last chunk alone is no running count: then it comes without text before it, or once.
    several = bool(with_text) or stream.counted > 1
    if several and stream.counted and all(running >= 0 for _, _, _, running in with_text):
        return (CountMethod.TIMINGS if stream.timed else CountMethod.RUNNING_USAGE), _rises(rows)
    return None, []


def _rises(rows: Sequence[Row]) -> list[Tokens]:
    """Return how far the total rose with each row; a total that fell back adds nothing."""
    rises: list[Tokens] = []
    highest = 0
    for _, _, _, running in rows:
        rises.append(max(running - highest, 0))
        highest = max(highest, running)
    return rises


def _add_last(
    stream: Stream, kept: list[int], at_ns: list[Nanoseconds], tokens: list[Tokens], total: Tokens | None
) -> None:
    """Give the finish chunk what the final usage has more than the chunks told.

    The token that ends a natural stop (EOS) shows nothing, a character is held back until all its bytes are there, and
    llama.cpp and SGLang tell no running count on the finish chunk, which they send in the step of the last token.
    """
    if total is None or stream.finish_ns is None:
        return
    place = stream.finish_row
    is_told = place is not None and max(stream.rows[place][2:]) >= 0
    unshown = 0 if is_told else min(_UNSHOWN, int(_UNSHOWN_SHARE * total))
    most = max(1, int(_TOLERANCE * total), unshown)
    missing = total - sum(tokens)
    if not 0 < missing <= most:
        return
    if stream.finish_row in kept:
        tokens[kept.index(stream.finish_row)] += missing
    else:
        # A server may go on after its finish reason: times stay in order.
        index = bisect_right(at_ns, stream.finish_ns)
        at_ns.insert(index, stream.finish_ns)
        tokens.insert(index, missing)


def _from_total(stream: Stream, total: Tokens | None, first_tokens: Tokens | None, notes: tuple[str, ...]) -> Counted:
    """Fall back to what the total alone says."""
    kept = [place for place, (_, text, ids, _) in enumerate(stream.rows) if text is not None or ids > 0]
    output_ns = array(_WORD, [stream.rows[place][0] for place in kept])
    tokens: Sequence[Tokens] | None = None
    if not total:
        method, first = (CountMethod.NONE if total is None else CountMethod.TOTAL_ONLY), None
    elif total == len(kept):
        method, first, tokens = CountMethod.ONE_PER_CHUNK, 1, array(_WORD, [1]) * total
    elif first_tokens is not None and kept and first_tokens <= total:
        method, first = CountMethod.TOKENIZED_FIRST, first_tokens
    else:
        method, first = CountMethod.TOTAL_ONLY, None
    return Counted(
        method=method,
        output_ns=output_ns,
        output_tokens=tokens,
        first_tokens=first,
        first_text=_first_text(stream, kept),
        notes=notes,
    )


def _first_text(stream: Stream, kept: Sequence[int]) -> str:
    return (stream.rows[kept[0]][1] or "") if kept else ""
