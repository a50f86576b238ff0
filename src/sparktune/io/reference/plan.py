"""The schedule of one request, decided when it arrives: how many tokens in which chunks, due when, broken where."""

__all__ = ["Fault", "Plan", "chunk_sizes", "fault_of", "first_due_ns", "output_length", "plan_of"]

from dataclasses import dataclass
from enum import Enum

from sparktune.io.reference.asks import Generate
from sparktune.io.reference.knobs import Html, Knobs, Phase
from sparktune.units import NS_PER_S, Nanoseconds, Tokens

_DEFAULT_LIMIT = 128
_NS_PER_MS = 1_000_000


class Fault(Enum):
    """What goes wrong with a request, on purpose or because its client left."""

    NONE = "none"
    FAIL = "fail"
    ABORT = "abort"
    CUT = "cut_mid_chunk"
    ERRCHUNK = "errchunk"
    STALL = "stall"
    HTML = "html"
    CLIENT_LEFT = "client_left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """``sizes`` are the tokens of each chunk; the fault, where there is one, strikes before chunk ``break_at``."""

    sizes: tuple[Tokens, ...]
    finish_reason: str
    fault: Fault
    break_at: int

    @property
    def tokens(self) -> Tokens:
        """All tokens of the answer."""
        return sum(self.sizes)


def output_length(ask: Generate, knobs: Knobs) -> tuple[Tokens, str]:
    """Return how many tokens the model writes and the finish reason that it gives."""
    limit = _DEFAULT_LIMIT if ask.limit is None else ask.limit
    if knobs.eos_at == 0 or ask.ignore_eos:
        return limit, "length"
    natural = max(knobs.eos_at, ask.min_tokens)
    return (natural, "stop") if natural < limit else (limit, "length")


def chunk_sizes(tokens: Tokens, per_chunk: int) -> tuple[Tokens, ...]:
    """Divide tokens into chunks of the given size; the last one takes what is left."""
    whole, rest = divmod(tokens, per_chunk)
    return (per_chunk,) * whole + ((rest,) if rest else ())


def fault_of(number: int, knobs: Knobs) -> Fault:
    """Return what happens to the ``number``-th generation request, counted from 1; the first that applies."""
    if knobs.html is not Html.NEVER:
        return Fault.HTML
    periods = (
        (knobs.fail_every, Fault.FAIL),
        (knobs.abort_every, Fault.ABORT),
        (knobs.cut_mid_chunk_every, Fault.CUT),
        (knobs.errchunk_every, Fault.ERRCHUNK),
        (knobs.stall_every, Fault.STALL),
    )
    return next((fault for every, fault in periods if every and number % every == 0), Fault.NONE)


def plan_of(ask: Generate, knobs: Knobs, number: int) -> Plan:
    """Decide the answer to the ``number``-th generation request."""
    tokens, reason = output_length(ask, knobs)
    sizes = chunk_sizes(tokens, knobs.tpc)
    return Plan(sizes=sizes, finish_reason=reason, fault=fault_of(number, knobs), break_at=len(sizes) // 2)


def first_due_ns(start_ns: Nanoseconds, knobs: Knobs, *, uncached: Tokens, ahead: int) -> Nanoseconds:
    """Return when the first chunk is due; ``ahead`` are the requests in flight when this one arrived."""
    wait_ns = round((knobs.ttft_ms + ahead * knobs.stagger_ms) * _NS_PER_MS)
    if knobs.pp_tps > 0:
        wait_ns += round(uncached / knobs.pp_tps * NS_PER_S)
    due_ns = start_ns + wait_ns
    if knobs.phase is Phase.BATCH:
        due_ns = -(-due_ns // knobs.itl_ns) * knobs.itl_ns
    return due_ns
