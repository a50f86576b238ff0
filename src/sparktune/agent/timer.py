"""What undoes a transaction that nobody confirms: systemd's clock where there is one, else a process that sleeps.

``systemd-run --on-active=`` makes a transient timer, which goes with the boot (systemd-run(1)); what is unconfirmed
after a reboot is undone by whichever agent comes first.
"""

__all__ = ["arm", "disarm", "end_passes"]

import os
import subprocess
import sys
from contextlib import suppress

from sparktune.agent.refusal import TRANSACTION, Refused
from sparktune.agent.tree import Tree

_SYSTEMD = "/run/systemd/system"
_LIMIT_S = 30.0
# What the rule for devices starts, an instance for each; the unit that it would start is gone when all was undone.
_PASSES = "sparktune-reapply@*.timer"


def arm(tree: Tree, archive: str, transaction: str, within_s: float) -> None:
    """Let ``agent.pyz expire TRANSACTION`` run after so long. Raises Refused when it will not."""
    if not tree.root and os.path.isdir(_SYSTEMD):
        _arm_systemd(archive, transaction, within_s)
    else:
        _arm_child(tree, archive, transaction, within_s)


def disarm(tree: Tree, transaction: str) -> None:
    """Stop systemd's clock; a process that sleeps sees by itself that nothing is waited for.

    When it cannot be stopped it fires, finds that nothing is waited for, and ends.
    """
    _stop(tree, f"{_unit(transaction)}.timer")


def end_passes(tree: Tree) -> None:
    """Stop the passes that wait for devices which came just now: with their unit gone they fail, and stay failed."""
    _stop(tree, _PASSES)


def _stop(tree: Tree, timers: str) -> None:
    if not tree.root and os.path.isdir(_SYSTEMD):
        command = ("systemctl", "stop", timers)
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=False)


def _arm_systemd(archive: str, transaction: str, within_s: float) -> None:
    command = (
        "systemd-run",
        "--quiet",
        "--collect",
        f"--unit={_unit(transaction)}",
        f"--on-active={within_s:.3f}s",
        "--timer-property=AccuracySec=1s",
        sys.executable,
        "-I",
        archive,
        "expire",
        transaction,
    )
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _refusal(str(error)) from None
    if done.returncode:
        raise _refusal(done.stderr.decode("utf-8", "replace").strip() or f"systemd-run ended with {done.returncode}")


def _arm_child(tree: Tree, archive: str, transaction: str, within_s: float) -> None:
    root = ("--root", tree.root) if tree.root else ()
    expire = (sys.executable, "-I", archive, *root, "expire", transaction, "--after", f"{within_s:.3f}")
    # The process between ends at once, so that nobody has to wait for the one that sleeps.
    between = f"import subprocess;n=subprocess.DEVNULL;subprocess.Popen({expire!r},stdin=n,stdout=n,stderr=n,cwd='/')"
    try:
        subprocess.run(
            (sys.executable, "-I", "-S", "-c", between),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _refusal(str(error)) from None


def _refusal(why: str) -> Refused:
    return Refused(TRANSACTION, f"undoing it when nobody confirms cannot be prepared, so nothing was done: {why}")


def _unit(transaction: str) -> str:
    return f"sparktune-expire-{transaction}"
