"""What ``sparktune place trial`` is asked for, from its flags: which thread, and how it is measured."""

__all__ = ["target_of", "wish_of"]

import re

from sparktune.bench.slo import parse_seconds
from sparktune.cli._nodes import targets_of
from sparktune.errors import UsageError
from sparktune.experiment.request import BLOCK_COUNTS
from sparktune.flows.place.trial_plan import TrialWish
from sparktune.host.cpulist import parse_cpulist
from sparktune.io.cluster import NodeTarget
from sparktune.units import Seconds

_THREAD = re.compile(r"(\d{1,10})(?:@(.+))?", re.ASCII)
_LONGEST_S: Seconds = 3600.0
_SHORTEST_S: Seconds = 1.0


def target_of(text: str) -> tuple[NodeTarget, int]:
    """Return the node and the number of ``TID@NODE``. Raises UsageError for anything else."""
    hint = "see which threads poll: sparktune place scan; then: sparktune place trial TID@NODE"
    if not text:
        message = "which thread is meant is not said"
        raise UsageError(message, hint=hint)
    match = _THREAD.fullmatch(text)
    if match is None:
        message = f"{text!r} is not TID@NODE"
        raise UsageError(message, hint=hint)
    targets = targets_of(match[2] or "", ())
    if len(targets) != 1:
        message = f"{text!r} does not say on which of {', '.join(target.name for target in targets)}"
        raise UsageError(message, hint=f"write {match[1]}@{targets[0].name}")
    return targets[0], int(match[1])


def wish_of(
    tid: int,
    *,
    cpus: str,
    times: tuple[str, str],
    blocks: int,
    sensor: str,
    accept_likely: bool,
    endpoint: str,
) -> TrialWish:
    """Return what is asked for; ``times`` are how long it settles and is measured. Raises UsageError."""
    if blocks not in BLOCK_COUNTS:
        message = f"--max-blocks {blocks} is none of {', '.join(map(str, BLOCK_COUNTS))}"
        raise UsageError(message, hint="8 finds half a degree; 3 find a few degrees; 1 and 2 give no verdict")
    settle_s, window_s = (
        _time(text, name, least)
        for text, name, least in zip(times, ("--settle", "--window"), (0.0, _SHORTEST_S), strict=True)
    )
    return TrialWish(
        tid=tid,
        cpus=_cpus(cpus),
        accept_likely=accept_likely,
        settle_s=settle_s,
        window_s=window_s,
        blocks=blocks,
        sensor=sensor,
        endpoint=endpoint,
    )


def _time(text: str, name: str, least: Seconds) -> Seconds:
    value = parse_seconds(text, name=name)
    if not least <= value <= _LONGEST_S:
        message = f"{name} {text} is not between {least:g} and {_LONGEST_S:g} s"
        raise UsageError(message, hint="120s to settle and 60s to measure suit a desk-side machine")
    return value


def _cpus(text: str) -> tuple[int, ...]:
    try:
        return tuple(sorted(parse_cpulist(text)))
    except ValueError as error:
        message = f"--cpus: {error}"
        raise UsageError(message, hint="write it like 0-4,10-14") from None
