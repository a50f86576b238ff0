"""The flags that set limits of guards, named as the fields of ``Limits``, taken as they were written.

Those of guards that look at requests of our own are missing: beside another tool nobody counts these.
"""

__all__ = ["LimitFlags"]

from dataclasses import dataclass, fields
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFlags:
    """The flags as they were written; None for what was not. Each takes ``off``.

    One that is written empty, as by a variable that is not set, is a mistake and not the usual limit.
    """

    available_floor: Annotated[
        str | None,
        typer.Option("--available-floor", metavar="SIZE", help="Stop below this MemAvailable (default: 3GiB)."),
    ] = None
    free_floor: Annotated[
        str | None, typer.Option("--free-floor", metavar="SIZE", help="Stop below this MemFree (default: off).")
    ] = None
    seconds_to_floor: Annotated[
        str | None,
        typer.Option(
            "--seconds-to-floor",
            metavar="S",
            help="Stop when memory falls so that it reaches the floor within so many seconds (default: 5).",
        ),
    ] = None
    swap_pages: Annotated[
        str | None,
        typer.Option(
            "--swap-pages", metavar="N", help="Stop at so many swapped pages in each of 3 seconds (default: 256)."
        ),
    ] = None
    swap_pages_at_once: Annotated[
        str | None,
        typer.Option("--swap-pages-at-once", metavar="N", help="Stop at so many in one second (default: 4096)."),
    ] = None
    driver_lines: Annotated[
        str | None,
        typer.Option(
            "--driver-lines", metavar="N", help="Stop at so many new NV_ERR_NO_MEMORY lines of the driver (default: 3)."
        ),
    ] = None
    stall_share: Annotated[
        str | None,
        typer.Option(
            "--stall-share", metavar="SHARE", help="Stop when all waited for memory for this share of 3 s (0.2)."
        ),
    ] = None
    temperature: Annotated[
        str | None, typer.Option("--temperature", metavar="C", help="Stop at this many degrees Celsius (default: 95).")
    ] = None
    low_clock_hz: Annotated[
        str | None,
        typer.Option(
            "--low-clock-hz", metavar="HZ", help="Stop when a busy GPU stays below this clock (default: 900e6)."
        ),
    ] = None
    foreign_gpu: Annotated[
        str | None,
        typer.Option("--foreign-gpu", metavar="on|off", help="Stop when somebody else computes on the GPU (on)."),
    ] = None
    unanswered_s: Annotated[
        str | None,
        typer.Option(
            "--unanswered-s", metavar="S", help="Stop when --endpoint has not answered for so long (default: 30)."
        ),
    ] = None

    @property
    def given(self) -> dict[str, str]:
        """Those that were written, by the name of their limit."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}
