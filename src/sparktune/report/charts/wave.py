"""One wave of each arm, stream by stream on the same time axis: waiting and prefill first, then output.

The dotted lines are when each stream would have had its first token if prompts were computed one after the other, each
in the time that one takes alone (first come, first served). Streams that share keep all waiting; the lines show it.
"""

__all__ = ["Stream", "WavePanel", "wave_timeline"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.report.charts.numbers import value_tick
from sparktune.report.svg.draw import line, rect, text, tooltip, x_axis
from sparktune.report.svg.markup import Markup, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Linear
from sparktune.units import Seconds, count_of, format_seconds

_LEFT, _HEAD, _BETWEEN, _AXIS = 34.0, 24.0, 14.0, 26.0
_HIGH, _LOW, _MOST = 18.0, 5.0, 320.0
_NAMED = 12.0
_LINES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Instants in seconds after the wave's first send; ``first`` and ``last`` None without any output."""

    sent: Seconds
    first: Seconds | None
    last: Seconds | None
    ended: Seconds
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WavePanel:
    """One arm's wave. ``solo`` is the time to the first token of one stream alone, None when nobody measured it."""

    title: str
    look: str
    streams: tuple[Stream, ...]
    solo: Seconds | None = None


def wave_timeline(panels: Sequence[WavePanel], cell: str, width: float) -> Picture | Missing:
    """Draw the panels, one over the other; Missing without any stream."""
    drawn = [panel for panel in panels if panel.streams]
    if not drawn:
        return Missing("no recorded wave could be read")
    longest = max(stream.ended for panel in drawn for stream in panel.streams)
    scale = Linear(low=0.0, high=max(longest, 1e-6), start=_LEFT, end=width - 12)
    most = max(len(panel.streams) for panel in drawn)
    each = max(_LOW, min(_HIGH, _MOST / most))
    parts: list[str] = []
    top = 0.0
    tops = []
    for panel in drawn:
        tops.append(top + _HEAD)
        top += _HEAD + each * len(panel.streams) + _BETWEEN
    bottom = top - _BETWEEN + 4
    parts.append(x_axis(scale, top=_HEAD - 4, bottom=bottom, words=lambda value: value_tick(value, "s"), count=5))
    parts += [_panel(panel, at, each, scale) for panel, at in zip(drawn, tops, strict=True)]
    return Picture(
        name="wave",
        title=f"One wave of {cell}, stream by stream",
        description="; ".join(_told(panel) for panel in drawn),
        body=joined(parts),
        width=width,
        height=bottom + _AXIS,
    )


def _panel(panel: WavePanel, top: float, each: float, scale: Linear) -> Markup:
    parts: list[str] = [text(4, top - 8, panel.title, "t-bold")]
    for number, stream in enumerate(panel.streams):
        y = top + each * number
        if each >= _NAMED:
            parts.append(text(_LEFT - 8, y + each / 2 + 4, str(number + 1), "t-muted t-small t-end"))
        parts.append(_stream(panel, stream, number, y, each, scale))
    if panel.solo is not None:
        for number in range(1, min(len(panel.streams), _LINES) + 1):
            if panel.solo * number <= scale.high:
                x = scale.place(panel.solo * number)
                bottom = top + each * len(panel.streams)
                seen = tooltip(f"one after the other: first token {number} at {format_seconds(panel.solo * number)}")
                parts.append(line(x, top - 3, x, bottom + 3, "s-ink dot", seen))
    return joined(parts)


def _stream(panel: WavePanel, stream: Stream, number: int, y: float, each: float, scale: Linear) -> Markup:
    high = each - min(4.0, each * 0.25)
    first = stream.first if stream.first is not None else stream.ended
    waited = rect(
        scale.place(stream.sent),
        y,
        scale.place(first) - scale.place(stream.sent),
        high,
        "f-wait",
        tooltip(f"stream {number + 1}: {format_seconds(first - stream.sent)} until {_end_of_wait(stream)}"),
    )
    parts = [waited]
    if stream.first is not None and stream.last is not None:
        width = max(1.0, scale.place(stream.last) - scale.place(first))
        seen = tooltip(f"stream {number + 1}: output for {format_seconds(stream.last - stream.first)}")
        parts.append(rect(scale.place(first), y, width, high, f"f-{panel.look}", seen))
    if stream.failed:
        x = scale.place(stream.ended)
        parts.append(text(min(x + 3, scale.end - 40), y + each / 2 + 3, "failed", "t-small"))
    return joined(parts)


def _end_of_wait(stream: Stream) -> str:
    return "the first token" if stream.first is not None else "it ended without any"


def _told(panel: WavePanel) -> str:
    waits = sorted(stream.first - stream.sent for stream in panel.streams if stream.first is not None)
    if not waits:
        return f"{panel.title}: no stream had any output"
    span = f"first tokens after {format_seconds(waits[0])} to {format_seconds(waits[-1])}"
    alone = f"; alone it takes {format_seconds(panel.solo)}" if panel.solo is not None else ""
    return f"{panel.title}: {count_of(len(panel.streams), 'stream')}, {span}{alone}"
