"""V14: the client measured itself.

Looks at: the client's own record of each wave: CPU, send skew, how late it woke up, where its time stamps come from,
    steps of the clock; and whether tokens were counted as chunks without the server's confirmation.
Warns when: the client used more than 80 % of a core, sent the wave over more than 50 ms or a request more than 50 ms
    after it was planned, woke up more than 100 ms late, stamped arrivals in user space (late by its own unknown delay),
    the wall clock stepped by more than 1 ms (kernel stamps are wall time), or tokens are chunks that the server's count
    does not confirm.
Invalid when: the wall clock stepped by more than 50 ms during a wave with kernel stamps: its instants are wrong by it.
Unknown when: no wave of the cell finished.
Source: a client that parses while it measures is late by its own queue: ``make bench-client`` measures llama-benchy
    0.4.0 beside this one. A CPU governor alone almost doubled a client's TTFT: github.com/ai-dynamo/aiperf issue 1424.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence

from sparktune.bench.validity._shared import Finding, make_check, over_trials
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.recording import StampSource
from sparktune.model.timeline import CountMethod
from sparktune.model.trial import Request, Trial
from sparktune.units import Ratio, Seconds, count_of, format_percent, format_seconds

_CPU: Ratio = 0.80
_SKEW_S: Seconds = 0.050
_LAG_S: Seconds = 0.100
_STEP_S: Seconds = 0.001
_STEP_VOIDS_S: Seconds = 0.050
_FULL_HINT = (
    "the client fills its core: give it a free one with --client-cores LIST, or run it on another machine; how far it "
    "goes here is said by sparktune calibrate"
)
_BUSY_HINT = (
    "its cores are busy with something else: see what with top, move that away (taskset -cp CPUS PID) or slow it down "
    "(renice 19 PID), name free cores with --client-cores LIST, or run the client on another machine"
)


def _judge(cell: CellEvidence, _run: RunEvidence) -> Sequence[Finding]:
    return [over_trials(cell, judge) for judge in (_busy, _skewed, _late, _user_stamps, _clock, _chunks_counted)]


def _busy(trial: Trial) -> Finding:
    ratio = trial.health.cpu_ratio
    status = Status.WARN if ratio > _CPU else Status.OK
    return Finding(
        status=status, evidence=f"client CPU {format_percent(ratio)} of a core", hint=_FULL_HINT, weight=ratio
    )


def _skewed(trial: Trial) -> Finding:
    skew = trial.health.send_skew_s
    status = Status.WARN if skew > _SKEW_S else Status.OK
    of_plan = "" if trial.cell.is_plain else " of its plan"
    evidence = f"wave sent within {format_seconds(skew)}{of_plan}"
    return Finding(status=status, evidence=evidence, hint=_BUSY_HINT, weight=skew)


def _late(trial: Trial) -> Finding:
    lag = trial.health.lag_max_s
    if lag is None:
        return Finding(status=Status.OK, evidence="wake-up delay not known")
    status = Status.WARN if lag > _LAG_S else Status.OK
    return Finding(status=status, evidence=f"woke up to {format_seconds(lag)} late", hint=_BUSY_HINT, weight=lag)


def _user_stamps(trial: Trial) -> Finding:
    if trial.health.source is StampSource.KERNEL:
        return Finding(status=Status.OK, evidence="arrivals stamped by the kernel")
    hint = "measure without TLS and on Linux to have the kernel stamp arrivals"
    evidence = "arrivals stamped in user space: late by this process's own delay, which is not known"
    return Finding(status=Status.WARN, evidence=evidence, hint=hint)


def _clock(trial: Trial) -> Finding:
    step = abs(trial.health.clock_step_s)
    is_void = step > _STEP_VOIDS_S and trial.health.source is StampSource.KERNEL
    status = Status.INVALID if is_void else Status.WARN if step > _STEP_S else Status.OK
    hint = "let the clock be slewed, not stepped (chrony: makestep), and repeat"
    return Finding(status=status, evidence=f"wall clock stepped by {format_seconds(step)}", hint=hint, weight=step)


def _chunks_counted(trial: Trial) -> Finding:
    unconfirmed = sum(_is_unconfirmed(request) for request in trial.completed)
    if not unconfirmed:
        return Finding(status=Status.OK, evidence="no chunk taken for a token")
    evidence = f"tokens of {count_of(unconfirmed, 'stream')} are chunks, which no count of the server confirms"
    hint = "a chunk may carry several tokens: use a server that sends usage"
    return Finding(status=Status.WARN, evidence=evidence, hint=hint, weight=unconfirmed)


def _is_unconfirmed(request: Request) -> bool:
    timeline = request.timeline
    by_chunk = timeline.count_method is CountMethod.ONE_PER_CHUNK
    return by_chunk and timeline.usage.completion_tokens != len(timeline.output_ns)


CHECK = make_check("V14", "client healthy", _judge)
