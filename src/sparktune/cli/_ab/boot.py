"""Arms that count at a boot: nothing boots unless that was allowed, and this machine goes on after it by ``resume``."""

__all__ = ["boot_this_machine", "check_has_booted", "check_may_boot", "is_this_machine"]

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import UsageError
from sparktune.experiment.plan import Experiment
from sparktune.io.cluster import LOCAL, NodeTarget
from sparktune.io.launching.proc import boot_id
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.transport.session import NodeSession
from sparktune.model.arm_action import Reboot
from sparktune.model.launcher import ArmPlan
from sparktune.units import count_of

_LIMIT_S = 30.0


def check_may_boot(plan: ArmPlan, experiment: Experiment, *, allowed: bool) -> None:
    """Raise UsageError for an experiment that boots machines when nobody has allowed that."""
    if plan.takes != "reboot" or allowed:
        return
    nodes = [action.node or "this machine" for action in plan.actions if isinstance(action, Reboot)]
    times = count_of(2 * len(experiment.blocks), "time")
    message = f"each visit boots {', '.join(nodes)}: up to {times}, and once more in the end"
    raise UsageError(message, hint="allow it with --allow-reboot")


def check_has_booted(held: Mapping[str, Any], experiment: Experiment) -> None:
    """Raise UsageError when an arm waits for a boot of this machine that has not come."""
    if held.get("booting") and held["booting"] == boot_id():
        message = f"arm {held.get('arm')} counts when this machine has booted, and it has not since"
        again = f"sparktune ab resume {experiment.id}"
        raise UsageError(message, hint=f"boot it, then: {again}; or take the arm back: {again} --restore-only")


def is_this_machine(experiment: Experiment, planner: ArmPlanner, settings: HoldSettings) -> bool:
    """Tell whether a boot that an arm waits for is really this machine's: a captured tree has none."""
    actions = [action for arm in experiment.spec.arms for action in planner.plan(arm).actions]
    targets = [settings.target(action.node) for action in actions if isinstance(action, Reboot)]
    return any(target.host is None and target.root is None for target in targets)


def boot_this_machine() -> None:
    """Boot; what was written before is on the disk. Raises NodeError when that is refused."""

    async def boot() -> None:
        async with NodeSession(NodeTarget(name=LOCAL)) as node:
            await node.run(("systemctl", "reboot"), limit_s=_LIMIT_S)

    with suppress(asyncio.CancelledError):
        asyncio.run(boot())
