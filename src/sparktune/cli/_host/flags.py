"""The flags that describe a host profile: written once, and taken by every command that needs a profile."""

__all__ = ["ProfileFlags"]

from dataclasses import dataclass, fields
from typing import Annotated

import typer

_Words = list[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFlags:
    """The flags as they were written; "", None and False for what was not."""

    profile: Annotated[str, typer.Option("--profile", metavar="NAME", help="The profile; there is one: inference.")] = (
        ""
    )
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            metavar="slices|classic",
            help="How the system's own work is kept on the efficiency cores: cpusets of systemd's slices (slices, the "
            "default), or CPUAffinity= of its manager, inherited by all that it starts (classic).",
        ),
    ] = ""
    irq: Annotated[
        str,
        typer.Option(
            "--irq",
            metavar="efficiency|performance-spread|leave",
            help="Where interrupts of the devices go (default: efficiency). Which serves better is for you to measure.",
        ),
    ] = ""
    irq_device: Annotated[
        _Words,
        typer.Option(
            "--irq-device", metavar="BDF", help="A device by its PCI address, besides GPU and ConnectX; repeatable."
        ),
    ] = None
    sysctl: Annotated[
        _Words,
        typer.Option(
            "--sysctl",
            metavar="KEY=VALUE",
            help="Set a sysctl (default: vm.swappiness=1 and vm.vfs_cache_pressure=200); KEY=leave takes one out; "
            "repeatable.",
        ),
    ] = None
    without: Annotated[
        _Words, typer.Option("--without", metavar="CHANGE", help="Leave a change out, by its id; repeatable.")
    ] = None
    target: Annotated[
        str, typer.Option("--target", metavar="T", help="What is booted by default (default: multi-user.target).")
    ] = ""
    isolate_now: Annotated[
        bool,
        typer.Option("--isolate-now", help="Switch to that target at once, too: ends a graphical session. Asks apart."),
    ] = False
    move_running: Annotated[
        bool,
        typer.Option("--move-running", help="With --mode classic: move what runs now, instead of waiting for a boot."),
    ] = False
    earlyoom: Annotated[
        str,
        typer.Option(
            "--earlyoom", metavar="leave|stop", help="What becomes of earlyoom (default: leave it, and say so)."
        ),
    ] = ""
    compose: Annotated[
        _Words,
        typer.Option(
            "--compose", metavar="FILE", help="A compose file on the node whose inference gets a cpuset; repeatable."
        ),
    ] = None
    container: Annotated[
        _Words,
        typer.Option("--container", metavar="NAME", help="A container that counts as inference, too; repeatable."),
    ] = None
    allow_slow: Annotated[
        bool,
        typer.Option("--allow-slow", help="Accept that inference without a cpuset lands on the efficiency cores."),
    ] = False

    @property
    def given(self) -> bool:
        """Whether any of them was written."""
        return self != ProfileFlags()

    def words(self) -> list[str]:
        """Return them as they are written, for a command to type next that means the same profile."""
        written: list[str] = []
        for one in fields(self):
            flag, value = f"--{one.name.replace('_', '-')}", getattr(self, one.name)
            if value is True:
                written.append(flag)
            elif isinstance(value, list):
                written += [word for each in value for word in (flag, each)]
            elif value:
                written += [flag, value]
        return written
