"""What the other mode of a profile has left on a node: both at once is no mode, and nobody has asked for it."""

__all__ = ["left_by_mode", "mode_reads", "mode_refusals"]

from collections.abc import Sequence

from sparktune.model.host_plan import CheckStatus, HostCheck, HostView, Refusal
from sparktune.model.profile import Mode
from sparktune.model.reads import Read, ReadFile


def mode_reads(paths: Sequence[str]) -> tuple[Read, ...]:
    """Return what has to be read to see the files of a mode."""
    return tuple(ReadFile(path=path) for path in paths)


def mode_refusals(change: str, view: HostView, mode: Mode, paths: Sequence[str]) -> tuple[Refusal, ...]:
    """Refuse a profile of another mode while files of this one are there: their change would stay, unseen."""
    there = _there(view, paths)
    if not there:
        return ()
    return (
        Refusal(
            change=change,
            reason=f"--mode {mode.value} is applied here, and would stay beside --mode {view.profile.mode.value}",
            hint="take it back first: sparktune host revert; then plan again (a file that somebody has edited since is "
            f"left by that: remove it by hand); to keep both knowingly: --without {change}",
            evidence=there,
        ),
    )


def left_by_mode(change: str, view: HostView, mode: Mode, paths: Sequence[str]) -> tuple[HostCheck, ...]:
    """Return a check for each file of a mode that the profile has not."""
    return tuple(
        HostCheck(
            change=change,
            target=path,
            wanted="no file",
            effective="there",
            status=CheckStatus.DIFFERENT,
            why=f"it is of --mode {mode.value}, and counts beside --mode {view.profile.mode.value}",
        )
        for path in _there(view, paths)
    )


def _there(view: HostView, paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if view.readings.file(path).value is not None)
