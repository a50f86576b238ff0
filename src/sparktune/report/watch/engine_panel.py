"""The engine on the screen: queue, KV use, rates and means of the last seconds; unknown where it does not tell."""

__all__ = ["engine_lines", "engine_title"]

from sparktune.bench.engine_look import EngineLook
from sparktune.report.bench.words import one_line
from sparktune.report.watch.marks import Line, Span, plain, soft, warn
from sparktune.report.watch.state import WatchState
from sparktune.units import format_duration, format_percent, format_rate, format_seconds

_UNKNOWN = "unknown"


def engine_title(state: WatchState) -> str:
    """Return whose numbers follow."""
    one = state.engine
    if one is None:
        return "engine"
    named = ", ".join(one_line(word) for word in (one.engine, one.model) if word)
    service = one_line(one.service)
    return f"engine {service}: {named}" if named else f"engine {service}"


def engine_lines(state: WatchState) -> tuple[Line, ...]:
    """Return the engine's lines, or the reason why there are none."""
    one = state.engine
    if one is None:
        return ((soft(f"not watched: {one_line(state.why_no_engine) or 'no service is named'}"),),)
    if one.look is None:
        told = one.untold or "waiting for its first answer"
        return ((warn(one_line(told)) if one.untold else soft(told),),)
    look = one.look
    return (
        (soft("queue   "), *_queue(look), soft("   KV "), plain(_kv(look))),
        (soft(f"{_window(look):<8}"), *_rates(look)),
        (soft("drafts  "), plain(_drafts(look))),
    )


def _queue(look: EngineLook) -> tuple[Span, ...]:
    running = f"{look.running:.0f} running" if look.running is not None else "running unknown"
    if look.waiting is None:
        return (plain(f"{running}, waiting unknown"),)
    words = f"{look.waiting:.0f} waiting"
    return (plain(f"{running}, "), warn(words) if look.waiting > 0 else plain(words))


def _kv(look: EngineLook) -> str:
    return f"{format_percent(look.kv_use)} of its pool used" if look.kv_use is not None else _UNKNOWN


def _window(look: EngineLook) -> str:
    return f"in {format_duration(look.window_s)}" if look.window_s else "rates"


def _rates(look: EngineLook) -> tuple[Span, ...]:
    if not look.window_s:
        return (warn("the server was restarted"),) if look.restarted else (plain("not known before the second look"),)
    spans = [plain(f"output {_rate(look.output_tok_s)}, prompts {_rate(look.prompt_tok_s)}, {_ttft(look)}")]
    if look.preemptions:
        spans.append(warn(f", {look.preemptions:.0f} PREEMPTED"))
    return tuple(spans)


def _rate(value: float | None) -> str:
    return f"{format_rate(value)} tok/s" if value is not None else _UNKNOWN


def _ttft(look: EngineLook) -> str:
    if look.first_tokens is None:
        return "TTFT unknown"
    if look.ttft_s is None:
        return "TTFT: no first token"
    return f"TTFT mean {format_seconds(look.ttft_s)} of {look.first_tokens:.0f}"


def _drafts(look: EngineLook) -> str:
    if not look.window_s or look.drafts is None:
        return "acceptance unknown"
    if look.drafts == 0:
        return "none drafted"
    share = f"{format_percent(look.accepted_share)} accepted" if look.accepted_share is not None else "share unknown"
    length = f"{look.accepted_length:.2f} tokens a round" if look.accepted_length is not None else "length unknown"
    return f"{share}, {length}"
