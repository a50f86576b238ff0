"""Put ``sparktune record`` together: where to listen, where to pass on to, and what is said meanwhile."""

__all__ = ["RecordArguments", "run_record"]

import asyncio
import ipaddress
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from sparktune.bench.traffic.recorder import Tally
from sparktune.cli._endings import refuse_ending
from sparktune.cli._terminal import fitted
from sparktune.errors import SparktuneError, UsageError
from sparktune.flows.record import RecordOrder, record
from sparktune.io.http.address import Address, parse_address
from sparktune.report.record import RecordReport, record_json, record_lines
from sparktune.units import Seconds, format_count

_LOCAL = "127.0.0.1"
_LAST_PORT = 65_535
_TIME = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,9})?)\s*(?P<unit>s|min|m|h)?")
_SCALE = {"s": 1.0, None: 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordArguments:
    """The command line as it was written."""

    listen: str
    to: str
    out: Path | None
    host: str | None
    duration: str
    with_text: bool
    as_json: bool
    quiet: bool


def run_record(arguments: RecordArguments) -> None:
    """Record, print the summary, and fail where something is missing from the file. Raises a SparktuneError."""
    refuse_ending(arguments.out, "JSON lines")
    address = parse_address(arguments.to)
    host, port = _listen(arguments.listen, arguments.host)
    order = RecordOrder(
        host=host,
        port=port,
        target=address.target,
        path=arguments.out or Path(time.strftime("traffic-%Y%m%d-%H%M%S.jsonl")),
        for_s=_duration(arguments.duration) if arguments.duration else None,
        with_text=arguments.with_text,
    )
    show = _Show(arguments, address, order)
    done = asyncio.run(record(order, say=show.say, listening=show.listening, look=show.look))
    show.clear()
    report = RecordReport(
        file=str(done.path),
        endpoint=address.base_url,
        tally=done.tally,
        took_s=done.took_s,
        connections=done.connections,
        cut_off=done.cut_off,
        broken=done.broken,
    )
    told = "".join(f"{line}\n" for line in record_lines(report))
    sys.stdout.write(record_json(report) if arguments.as_json else fitted(told))
    sys.stdout.flush()
    if done.broken or done.tally.unwritten:
        message = f"{done.path} does not hold all of the traffic"
        raise SparktuneError(message, hint="is the disk full? The summary above says what is missing")


class _Show:
    """What is said on stderr while it runs."""

    def __init__(self, arguments: RecordArguments, address: Address, order: RecordOrder) -> None:
        self._quiet = arguments.quiet
        self._address = address
        self._order = order
        self._live = sys.stderr.isatty() and not arguments.quiet
        self._shown = ""

    def say(self, text: str) -> None:
        self.clear()
        sys.stderr.write(f"record: {text}\n")
        sys.stderr.flush()

    def listening(self, port: int) -> None:
        if self._quiet:
            return
        host, order = self._order.host, self._order
        shown = f"[{host}]" if ":" in host else host
        what = "with everything that is said" if order.with_text else "times, lengths, shared beginnings; no text"
        self.say(f"point clients at http://{shown}:{port}{self._address.prefix}/v1 instead of {self._address.base_url}")
        self.say(f"writing {order.path} ({what})")
        if not _is_local(host):
            self.say(f"whoever reaches {shown}:{port} reaches the server behind it")
        if order.for_s is None:
            self.say("stop with Ctrl-C")

    def look(self, tally: Tally) -> None:
        """Keep one line of counts on a terminal up to date."""
        if self._live:
            self.clear()
            self._shown = f"record: {format_count(tally.requests)} requests written, {tally.open} under way"
            sys.stderr.write(self._shown)
            sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""


def _listen(text: str, host: str | None) -> tuple[str, int]:
    """Return address and port. Raises UsageError for an address in --listen that is not this machine's alone."""
    before, _, port = text.strip().rpartition(":")
    named = before.strip("[]")
    if named and host is None and not _is_local(named):
        message = f"--listen {text} would let others in: whoever reaches that address reaches the server"
        raise UsageError(message, hint=f"if that is meant, say it: --listen {port} --host {named}")
    if not (port.isascii() and port.isdigit() and int(port[:6]) <= _LAST_PORT):
        message = f"--listen takes a port, not {text[:40]!r}"
        raise UsageError(message, hint="write it as --listen 9000")
    return host or named or _LOCAL, int(port)


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _duration(text: str) -> Seconds:
    match = _TIME.fullmatch(text.strip())
    seconds = float(match["number"]) * _SCALE[match["unit"]] if match else 0.0
    if not seconds:
        message = f"--for takes a time above 0, not {text[:40]!r}"
        raise UsageError(message, hint="write it as 90s, 30m or 2h")
    return seconds
