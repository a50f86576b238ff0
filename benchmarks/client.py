"""Compare this project's load client with llama-benchy against one server whose timings are known.

``make bench-client``. Both clients meet the same server process, on two cores at ordinary priority, first on an
otherwise idle machine and then beside two busy loops: TTFT 200 ms, 10 ms per chunk, all streams in step. Then this
client alone, kept on one core, at rising chunk rates. Takes about five minutes; ``--quick`` about two.
"""

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import benchy
import rows
import targets
from others import Others

from sparktune.flows.calibrate import PLAN, find_knee
from sparktune.flows.reference_load import REFERENCE_MODEL, run_load
from sparktune.io.reference.process import ReferenceProcess
from sparktune.model.calibration import Knee, Limit, Load, LoadResult
from sparktune.report.calibrate import columns

CONCURRENCY = (1, 8, 32, 128)
TTFT_S, ITL_S = 0.2, 0.01
PROMPT_TOKENS = 64
SHORT_TOKENS = 8
FAST_PER_S, FAST_STREAMS = 25_000, 128
BUSY_LOOPS = 2
NOT_IDLE = 0.05
BUSY = f"busy: beside {BUSY_LOOPS} endless loops"
LEGEND = """\
stamp error: distance of an arrival stamp to the server's send call; llama-benchy tells no stamps.
TTFT error: send (llama-benchy: its start) to first output, against the server's arrival to that chunk's send call.
rate error: decode rate of a stream against what the server's first and last send call allow.
CPU slope: long minus short answers, decoding included, start of the program not; all: ours with connections and starts
of waves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured: tokens per stream, waves per load, seconds and waves of the fast load."""

    tokens: int = 264
    waves: int = 4
    fast_s: float = 1.5
    fast_waves: int = 3


QUICK = Size(tokens=104, waves=2, fast_s=0.5, fast_waves=1)


def main() -> int:
    """Run everything and print it; 0 also when a target was missed, since the table says so."""
    options = parse()
    size = QUICK if options.quick else Size()
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)  # children inherit it: servers, clients and busy loops share two cores
    if options.benchy:
        try:
            benchy.prepare()
        except benchy.BenchyError as error:
            print(f"error: {error}\nhint: --no-benchy measures this client alone", file=sys.stderr)
            return 1
    with ReferenceProcess() as server:
        others = Others(cores, server.pid)
        found = [*measure(server, "idle", size, with_benchy=options.benchy)]
        others_ratio = others.used_ratio()
        with busy_loops():
            found += measure(server, "busy", size, with_benchy=options.benchy)
        with on_cores(os.getpid(), cores[-1:]), on_cores(server.pid, cores[:1]):
            fast = run_load(server, fast_load(size))
            say("rising chunk rates")
            knee = find_knee(server, PLAN.steps(), say)
    verdicts = targets.judge(found, fast, knee)
    print(text(cores, others_ratio, found, knee, verdicts))
    if options.json:
        write_json(options.json, found, fast, knee, verdicts)
    return 0


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter waves")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures to FILE")
    parser.add_argument("--no-benchy", dest="benchy", action="store_false", help="measure this client alone")
    return parser.parse_args()


def measure(server: ReferenceProcess, machine: str, size: Size, *, with_benchy: bool) -> Iterator[rows.Row]:
    """Measure both clients at each concurrency, one after the other."""
    for streams in CONCURRENCY:
        say(f"{machine}, c={streams}: sparktune")
        short, long = (
            run_load(server, Load(concurrency=streams, ttft_s=TTFT_S, itl_s=ITL_S, chunks=tokens, waves=size.waves))
            for tokens in (SHORT_TOKENS, size.tokens)
        )
        yield rows.our_row(machine, short, long)
        if with_benchy:
            say(f"{machine}, c={streams}: llama-benchy")
            yield run_benchy(server, machine, streams, size)


def run_benchy(server: ReferenceProcess, machine: str, streams: int, size: Size) -> rows.Row:
    """Run it with long and with short answers: the difference in CPU time is what tokens cost, start-up left out."""
    spent: list[tuple[float, int]] = []
    # Short, long, short: start-up costs about a second of CPU time, and not the same each time.
    for length in (SHORT_TOKENS, size.tokens, SHORT_TOKENS):
        server.drain_log()
        run = benchy.run(
            server.base_url,
            REFERENCE_MODEL,
            concurrency=streams,
            prompt_tokens=PROMPT_TOKENS,
            output_tokens=length,
            runs=size.waves,
        )
        log = server.drain_log()
        spent.append((run.cpu_s, sum(record.output_tokens for record in log)))
        if length == size.tokens:
            measured, truth = run, log
    (first_s, tokens), (long_s, long_tokens), (last_s, _) = spent
    slope = (long_s - (first_s + last_s) / 2) / (long_tokens - tokens) * 1000
    return rows.benchy_row(machine, streams, measured, truth, slope)


def fast_load(size: Size) -> Load:
    """Return the load of the one-core target."""
    itl_s = FAST_STREAMS / FAST_PER_S
    chunks = round(size.fast_s / itl_s)
    return Load(concurrency=FAST_STREAMS, ttft_s=TTFT_S, itl_s=itl_s, chunks=chunks, waves=size.fast_waves)


@contextlib.contextmanager
def busy_loops() -> Iterator[None]:
    """Keep both cores busy with two endless loops of ordinary priority."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY_LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextlib.contextmanager
def on_cores(pid: int, cores: list[int]) -> Iterator[None]:
    """Keep a process on these cores."""
    before = os.sched_getaffinity(pid)
    os.sched_setaffinity(pid, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(pid, before)


def text(
    cores: list[int],
    others_ratio: float,
    found: list[rows.Row],
    knee: Knee,
    verdicts: tuple[targets.Verdict, ...],
) -> str:
    """Return the report."""
    where = f"Linux {platform.release()} {platform.machine()}, Python {platform.python_version()}, cores {cores}"
    load = f"TTFT {TTFT_S * 1e3:.0f} ms, {ITL_S * 1e3:.0f} ms per chunk, all streams in step, ordinary priority"
    failed = sum(row.failed for row in found)
    steps = [("asked/s", "written/s", "stamp p99", "rate error max", "server late", "held")]
    steps += [step_cells(step, limit) for step, limit in knee.steps]
    parts = [
        f"{where}\n{load}\n{BUSY}\n{idle_words(others_ratio)}",
        columns((*rows.HEAD, *map(rows.row_cells, found))),
        LEGEND,
        f"{failed} requests failed and are in no figure" if failed else "no request failed",
        f"client on core {cores[-1]} alone, server on core {cores[0]}, idle machine\n{columns(steps)}",
        table_left((targets.HEAD, *(verdict.cells for verdict in verdicts))),
    ]
    misses = [verdict for verdict in verdicts if verdict.held is False]
    if misses:
        parts.append(obstacles())
    return "\n\n".join(parts)


def idle_words(others_ratio: float) -> str:
    """Say how idle the idle machine was."""
    used = f"idle: other processes took {others_ratio * 100:.1f} % of the two cores"
    return used if others_ratio < NOT_IDLE else f"{used} - NOT IDLE, so that errors of theirs are in these figures"


def step_cells(step: LoadResult, limit: Limit) -> tuple[str, ...]:
    """Return the cells of one step of rising rate."""
    rate = step.accuracy.rate
    return (
        f"{step.load.chunks_per_s:,.0f}",
        f"{step.written_per_s or 0:,.0f}",
        f"{targets.tail(step.accuracy.stamp_s) * 1e3:.3f} ms",
        "-" if rate is None else f"{rate.maximum * 100:.3f} %",
        f"{step.late_max_s * 1e3:.1f} ms",
        {Limit.NONE: "yes", Limit.CLIENT: "no", Limit.SERVER: "server-limited: unknown beyond"}[limit],
    )


def obstacles() -> str:
    """Say what stands in the way of a stamp target that was missed."""
    return (
        "What stands in the way of stamps: the kernel keeps one per read, that of the newest packet in it. When the\n"
        "client is kept off its core (by a process of the same priority, by a virtual machine's host) while more of a\n"
        "stream arrives - the next chunk of a server that catches up, or the closing events after the last chunk -\n"
        "what waited together shares the last stamp, and the earlier chunk is stamped late."
    )


def table_left(lines: tuple[tuple[str, ...], ...]) -> str:
    """Align to the left, two blanks apart."""
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def write_json(
    path: Path, found: list[rows.Row], fast: LoadResult, knee: Knee, verdicts: tuple[targets.Verdict, ...]
) -> None:
    """Write all figures."""
    record = {
        "schema": 1,
        "rows": [rows.row_record(row) for row in found],
        "fast": asdict(fast),
        "knee": asdict(knee),
        "targets": [asdict(verdict) for verdict in verdicts],
    }
    path.write_text(json.dumps(record, indent=2, default=lambda value: getattr(value, "value", str(value))) + "\n")


def say(line: str) -> None:
    """Tell how far it is."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
