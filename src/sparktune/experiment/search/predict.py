"""What one run and one start already tell of configurations that nobody has started yet.

Acceptance: a draft token counts as accepted at its position only when all before it were, so that a_1 >= a_2 >= ... are
cumulative shares of draft rounds, and a round yields L = 1 + a_1 + ... + a_k tokens, the model's own included. With a
drafter whose first tokens do not hang on how many it drafts, a smaller depth d yields L_d = 1 + a_1 + ... + a_d. A
larger one adds at most a_k for every position more. Decoding goes at L / step time: depth d is as fast as depth k when
its step takes L_d / L_k of the other's. That ratio is not predicted here; only a start shows it.

Source: vLLM, v1/spec_decode/metrics.py: ``num_accepted_tokens_per_pos[i]`` counts the rounds in which more than i draft
tokens were accepted, ``num_drafts`` all rounds; the mean acceptance length is 1 + accepted / drafts.
"""

__all__ = ["DRAFTS", "Acceptance", "length_at", "predictions"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sparktune.deploy.sweep_limits import Ground, graphs_of
from sparktune.deploy.sweep_overlay import overlaid
from sparktune.deploy.sweep_values import magnitude
from sparktune.model.prediction import Prediction
from sparktune.model.setting import Value
from sparktune.model.sweep import Candidate
from sparktune.units import Ratio, Tokens

DRAFTS: Final = "num_speculative_tokens"
_FEW_ROUNDS: Final = 200  # a share of half is known to about 7 points (two standard errors) from as many
_POOL_KNOBS: Final = frozenset({"max_model_len", "max_num_seqs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """``shares`` by draft position, of all rounds; ``rounds`` were counted, None where nobody says how many."""

    shares: tuple[Ratio, ...]
    rounds: float | None = None


def length_at(acceptance: Acceptance, depth: int) -> tuple[float, bool]:
    """Return the tokens of a round with that many drafts, and whether it is a bound from above."""
    known = len(acceptance.shares)
    length = 1.0 + sum(acceptance.shares[:depth])
    if depth <= known:
        return length, False
    return length + (depth - known) * (acceptance.shares[-1] if acceptance.shares else 1.0), True


def predictions(
    candidates: Sequence[Candidate], ground: Ground, acceptance: Acceptance | None = None
) -> tuple[Prediction, ...]:
    """Return what is known of each configuration, in their order; nothing of those of which nothing is known."""
    return tuple(found for one in candidates for found in _of(one, ground, acceptance))


def _of(one: Candidate, ground: Ground, acceptance: Acceptance | None) -> Iterator[Prediction]:
    wanted = overlaid(ground.values, one, ground.engine)
    depth = magnitude(one.values[DRAFTS]) if DRAFTS in one.values else None
    if acceptance is not None and acceptance.shares and depth is not None and depth >= 1:
        yield _length(one.key, acceptance, int(depth))
    pool = _pool(one, wanted, ground)
    if pool is not None:
        yield pool
    graphs = _graphs(one, wanted, ground)
    if graphs is not None:
        yield graphs


def _length(key: str, acceptance: Acceptance, depth: int) -> Prediction:
    now = len(acceptance.shares)
    length, at_most = length_at(acceptance, depth)
    before, _ = length_at(acceptance, now)
    terms = " + ".join(f"{share:.2f}" for share in acceptance.shares[:depth])
    more = f", and at most {acceptance.shares[-1]:.2f} for each of {depth - now} more" if at_most else ""
    few = acceptance.rounds is not None and acceptance.rounds < _FEW_ROUNDS
    rounds = "" if acceptance.rounds is None else f"; {acceptance.rounds:.0f} rounds{', which are few' if few else ''}"
    return Prediction(
        key=key,
        metric="acceptance_length",
        value=length,
        at_most=at_most,
        step_ratio=length / before,
        why=f"1 + {terms}{more}, against {before:.2f} now{rounds}; if the first drafts do not hang on how many follow",
    )


def _pool(one: Candidate, wanted: dict[str, Value], ground: Ground) -> Prediction | None:
    """Return how many of the workload's longest requests the KV pool of the last start holds at once."""
    pool, tokens = ground.facts.get("kv_pool_tokens"), ground.request_tokens
    if pool is None or not set(one.values) <= _POOL_KNOBS:
        return None
    length = _whole(wanted.get("max_model_len"))
    asked: Tokens | None = tokens if "max_model_len" not in one.values else length
    if not asked:
        return None
    what = "of the workload's longest" if asked == tokens and "max_model_len" not in one.values else "of full length"
    limit = _whole(wanted.get("max_num_seqs"))
    at_once = f"; max_num_seqs lets {limit} run" if limit is not None and "max_num_seqs" in one.values else ""
    return Prediction(
        key=one.key,
        metric="kv_requests",
        value=pool / asked,
        why=f"the KV pool of the last start, {pool:.0f} tokens, over {asked} tokens of a request {what}{at_once}",
    )


def _graphs(one: Candidate, wanted: dict[str, Value], ground: Ground) -> Prediction | None:
    if ground.engine != "vllm":
        return None
    now, then = (graphs_of(values, ground.version) for values in (ground.values, wanted))
    if then is None or (now is not None and now.requests == then.requests):
        return None
    load = f"; the workload has {ground.concurrency} in flight" if ground.concurrency is not None else ""
    before = f", against {now.requests} now" if now is not None else ""
    return Prediction(
        key=one.key,
        metric="graph_requests",
        value=float(then.requests),
        why=f"the largest captured step has {then.tokens} tokens{before}{load}",
    )


def _whole(value: Value) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None
