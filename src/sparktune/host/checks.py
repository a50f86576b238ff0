"""How the checks of one change are made: what was wanted, what is effective, and how that is called."""

__all__ = ["checks_of"]

from typing import Protocol

from sparktune.model.host_plan import CheckStatus, HostCheck


class _MakeCheck(Protocol):
    def __call__(self, target: str, wanted: str, effective: str, status: CheckStatus, why: str = "") -> HostCheck:
        """Return the check of one target."""


def checks_of(change: str) -> _MakeCheck:
    """Return what makes the checks of a change, by its id."""

    def check(target: str, wanted: str, effective: str, status: CheckStatus, why: str = "") -> HostCheck:
        return HostCheck(change=change, target=target, wanted=wanted, effective=effective, status=status, why=why)

    return check
