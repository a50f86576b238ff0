"""From a recorded wave to what its picture draws."""

__all__ = ["solo_of", "streams_of"]

import statistics
from collections.abc import Iterable

from sparktune.model.cell import Cell
from sparktune.model.result import RunResult
from sparktune.model.trial import Trial
from sparktune.report.charts.wave import Stream
from sparktune.units import Seconds, seconds_between


def streams_of(trial: Trial) -> tuple[Stream, ...]:
    """Return the streams of a wave, in seconds after its first send."""
    zero = min((request.send_start_ns for request in trial.requests), default=0)
    found = []
    for request in trial.requests:
        first, last = request.timeline.first_ns, request.timeline.last_ns
        found.append(
            Stream(
                sent=seconds_between(zero, request.send_start_ns),
                first=seconds_between(zero, first) if first is not None else None,
                last=seconds_between(zero, last) if last is not None else None,
                ended=seconds_between(zero, max(request.end_ns, last or 0, request.send_start_ns)),
                failed=not request.ok,
            )
        )
    return tuple(found)


def solo_of(results: Iterable[RunResult], cell: Cell) -> Seconds | None:
    """Return the median time to the first token of one stream alone with the same prompt, None if it is unknown.

    None for a mix, and for streams that arrive one after the other: they would not wait for all before them.
    """
    if not cell.is_plain:
        return None
    medians = []
    for result in results:
        for row in result.cells:
            same = (row.cell.prompt_tokens, row.cell.depth) == (cell.prompt_tokens, cell.depth)
            alone = same and row.cell.concurrency == 1 and row.cell.is_plain
            summary = row.metric("ttft_s") if alone else None
            if summary is not None and summary.median is not None and summary.median > 0:
                medians.append(summary.median)
    return statistics.median(medians) if medians else None
