"""The targets of the client, each with what was measured; a miss is printed like a hit."""

__all__ = ["HEAD", "Verdict", "judge"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rows import Row

from sparktune.model.calibration import Knee, LoadResult, Spread
from sparktune.units import format_seconds

HEAD = ("target", "measured", "held?")
_STAMP_S = 0.00025
_TTFT_S, _TTFT_STREAMS = 0.005, 128
_RATE = 0.0005
_CPU_SHARE, _CPU_STREAMS = 0.5, 8
_FAST_STAMP_S = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One line; ``held`` None when it could not be measured."""

    target: str
    measured: str
    held: bool | None

    @property
    def cells(self) -> tuple[str, str, str]:
        """The line for the terminal."""
        return self.target, self.measured, {True: "yes", False: "NO", None: "not measured"}[self.held]


def judge(rows: Sequence[Row], fast: LoadResult, knee: Knee) -> tuple[Verdict, ...]:
    """Judge every target, the busy machine apart from the idle one."""
    verdicts: list[Verdict] = []
    for machine in dict.fromkeys(row.machine for row in rows):
        verdicts += _of_machine(machine, [row for row in rows if row.machine == machine])
    return (*verdicts, _fast(fast), _knee(knee))


def _of_machine(machine: str, rows: Sequence[Row]) -> Iterator[Verdict]:
    ours = [row for row in rows if row.client == "sparktune"]
    stamps = max((tail(row.stamp_s), row.concurrency) for row in ours)
    yield Verdict(
        target=f"{machine}: arrival stamps p99 <= 0.25 ms at every c",
        measured=f"{format_seconds(stamps[0])} (c={stamps[1]})",
        held=stamps[0] <= _STAMP_S,
    )
    crowd = next((row for row in ours if row.concurrency == _TTFT_STREAMS), None)
    ttft = None if crowd is None else tail(crowd.ttft_s)
    yield Verdict(
        target=f"{machine}: TTFT error p99 <= 5 ms at c=128",
        measured="-" if ttft is None else format_seconds(ttft),
        held=None if ttft is None else ttft <= _TTFT_S,
    )
    rates = max((row.rate.maximum if row.rate else float("inf"), row.concurrency) for row in ours)
    yield Verdict(
        target=f"{machine}: rate error of every stream <= 0.05 %",
        measured=f"{rates[0] * 100:.3f} % (c={rates[1]})",
        held=rates[0] <= _RATE,
    )
    yield from _cost(machine, ours, [row for row in rows if row.client != "sparktune"])


def _cost(machine: str, ours: Sequence[Row], theirs: Sequence[Row]) -> Iterator[Verdict]:
    for row in ours:
        other = next((each for each in theirs if each.concurrency == row.concurrency), None)
        if row.concurrency < _CPU_STREAMS:
            continue
        target = f"{machine}: CPU per token at most half of llama-benchy's, c={row.concurrency}"
        if other is None or other.slope_cpu <= 0 or row.all_cpu is None:
            yield Verdict(target=target, measured="-", held=None)
            continue
        share, with_all = row.slope_cpu / other.slope_cpu, row.all_cpu / other.slope_cpu
        measured = f"{share:.2f} of it, {with_all:.2f} with connections and starts of waves"
        yield Verdict(target=target, measured=measured, held=share <= _CPU_SHARE)


def _fast(fast: LoadResult) -> Verdict:
    stamps = tail(fast.accuracy.stamp_s)
    return Verdict(
        target="stamps p99 <= 1 ms at 25,000 chunks/s, client on one core",
        measured=f"{format_seconds(stamps)} at {fast.written_per_s or 0:,.0f} written/s",
        held=stamps <= _FAST_STAMP_S,
    )


def _knee(knee: Knee) -> Verdict:
    measured = "none held" if knee.held_per_s is None else f"{knee.held_per_s:,.0f} chunks/s, then: {knee.limit.value}"
    return Verdict(target="the knee is reported (client on one core)", measured=measured, held=bool(knee.steps))


def tail(errors: Spread | None) -> float:
    """Return the 99th percentile, or the maximum where values are too few; infinite when there are none."""
    if errors is None:
        return float("inf")
    return errors.maximum if errors.p99 is None else errors.p99
