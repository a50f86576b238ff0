"""What can be set on the reference server, and which values make sense."""

__all__ = ["Html", "Imitate", "Knobs", "Offer", "Phase", "Role", "changed", "knobs_json"]

from collections.abc import Mapping
from enum import Enum

import msgspec

_MILLION = 1_000_000


class Imitate(Enum):
    """Which engine's surfaces the server shows."""

    GENERIC = "generic"  # the OpenAI routes alone
    VLLM = "vllm"  # also /version and Prometheus metrics named vllm:


class Offer(Enum):
    """When an optional part of an answer is sent."""

    NEVER = "never"
    ASKED = "asked"  # when the request asks for it
    ALWAYS = "always"


class Role(Enum):
    """When the chunk that only carries the role is sent."""

    FIRST = "first"  # just before the first token
    EARLY = "early"  # at once, as some proxies and frontends do
    NONE = "none"


class Html(Enum):
    """Which routes answer with a web page, as a wrong port or a login wall does."""

    NEVER = "never"
    STREAM = "stream"  # the generation routes
    ALL = "all"


class Phase(Enum):
    """Where the instants of a stream's chunks lie."""

    REQUEST = "request"  # at fixed distances from the arrival of its request
    BATCH = "batch"  # on the server's own grid of ``itl_ms``: all streams step together, as in a batched engine


class Knobs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings; those of a request are taken when it arrives, later changes do not touch it.

    Chunk k of a stream is due ``ttft_ms + k * itl_ms`` after its request arrived; ``pp_tps`` (prompt tokens per
    second, 0 = off) adds the uncached prompt's time, ``stagger_ms`` that much per request already in flight, and
    ``slots`` (0 = no limit) queues requests beyond that many. ``spin_us`` waits actively before a due instant.
    ``prefills`` (0 = off) is how many prompts are computed at once: they share ``pp_tps``, which then is the rate of
    the whole server, and a prompt beyond that many waits for one of them.

    ``tpc`` tokens go into a chunk, ``coalesce`` chunks into a write, ``pad`` extra bytes into a chunk; the first
    ``reasoning`` tokens go to ``reasoning_field``; every ``empty_every``-th chunk has empty content; a comment precedes
    every ``ping_every``-th. ``cached`` (-1 = as it is) is what usage reports as cached; ``prefix_cache`` keeps prompts
    in blocks of 16 tokens; ``overhead`` are the tokens of the chat template; ``eos_at`` (0 = never) is where the model
    would stop by itself; ``spec_k`` (0 = off) draft tokens per step show in the counters.

    Every n-th generation request fails: ``fail_every`` answers ``fail_status``, ``abort_every`` resets the connection
    half way, ``cut_mid_chunk_every`` closes it inside a chunk, ``errchunk_every`` sends an error event,
    ``stall_every`` stops sending. ``loading`` answers 503 everywhere. ``foreign`` tokens per request are added to the
    counters, as if another client had sent a request beside each of ours.
    """

    engine: Imitate = Imitate.GENERIC
    models: tuple[str, ...] = ("reference",)
    api_key: str = ""
    max_model_len: int = 131_072
    ttft_ms: float = 200.0
    itl_ms: float = 10.0
    pp_tps: float = 0.0
    stagger_ms: float = 0.0
    slots: int = 0
    prefills: int = 0
    phase: Phase = Phase.REQUEST
    spin_us: int = 0
    tpc: int = 1
    coalesce: int = 1
    pad: int = 0
    role: Role = Role.FIRST
    headers_early: bool = True
    token_ids: Offer = Offer.NEVER
    usage: Offer = Offer.ASKED
    usage_always: Offer = Offer.NEVER
    reasoning: int = 0
    reasoning_field: str = "reasoning_content"
    empty_every: int = 0
    ping_every: int = 0
    cached: int = -1
    prefix_cache: bool = False
    overhead: int = 7
    eos_at: int = 0
    spec_k: int = 0
    fail_every: int = 0
    fail_status: int = 500
    abort_every: int = 0
    cut_mid_chunk_every: int = 0
    errchunk_every: int = 0
    stall_every: int = 0
    html: Html = Html.NEVER
    loading: bool = False
    foreign: int = 0
    no_metrics: bool = False
    no_tokenize: bool = False

    def __post_init__(self) -> None:
        """Refuse values that the server could not honour; ValueError names the knob and the value."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            lowest = _LOWEST.get(name, 0)
            if isinstance(value, (int, float)) and not lowest <= value <= _MILLION:
                message = f"{name} must be between {lowest} and {_MILLION}: {value}"
                raise ValueError(message)
        if not self.models or not all(self.models):
            message = f"models must name at least one model: {self.models}"
            raise ValueError(message)
        if not _ERROR_STATUS <= self.fail_status < _STATUS_END:
            message = f"fail_status must be an HTTP error from 400 to 599: {self.fail_status}"
            raise ValueError(message)
        if self.spec_k and self.spec_k < self.tpc - 1:
            message = f"spec_k must be 0 or at least tpc - 1 = {self.tpc - 1}: {self.spec_k}"
            raise ValueError(message)
        if self.prefills and not self.pp_tps:
            message = "prefills needs pp_tps above 0: prompts share that rate"
            raise ValueError(message)
        if self.phase is Phase.BATCH and self.itl_ms == 0:
            message = "phase batch needs itl_ms above 0"
            raise ValueError(message)

    @property
    def itl_ns(self) -> int:
        """The distance of two chunks in nanoseconds."""
        return round(self.itl_ms * 1e6)


_LOWEST = {"tpc": 1, "coalesce": 1, "max_model_len": 1, "cached": -1}
_ERROR_STATUS = 400
_STATUS_END = 600


def changed(knobs: Knobs, changes: Mapping[str, object], *, strict: bool = True) -> Knobs:
    """Return the knobs with some replaced; not ``strict`` also reads numbers and truth values from text.

    Raises msgspec.ValidationError with the name of the knob when one is unknown, has another type or a bad value.
    """
    values = msgspec.to_builtins(knobs) | dict(changes)
    return msgspec.convert(values, Knobs, strict=strict)


def knobs_json(knobs: Knobs) -> bytes:
    """Return the knobs as one JSON object."""
    return msgspec.json.encode(knobs)
