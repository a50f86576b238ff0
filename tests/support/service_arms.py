"""Arms of services on real nodes: seen, planned, set, read back and left, as an experiment does it."""

__all__ = ["planner_of", "read_in_turn", "restored"]

from collections.abc import Mapping, Sequence
from typing import Any

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.io.launching.hold import Hold
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.sight import see
from sparktune.model.launcher import ArmSpec


async def planner_of(
    launcher: str, arms: Mapping[str, Any], where: Sequence[Mapping[str, Any]], settings: HoldSettings
) -> ArmPlanner:
    """Return the planner, with everything seen that it asks for."""
    planner = ArmPlanner(launcher=launcher, spec=ArmSpec(arms=arms, where=tuple(where)))
    planner.check()
    return planner.with_seen(await see(lambda seen: planner.with_seen(seen).reads(), settings))


async def read_in_turn(hold: Hold, planner: ArmPlanner, arms: str = "ABBA") -> list[Mapping[str, str]]:
    """Visit arms one after the other, and return what was read back of each."""
    await hold.perform(planner.begin())
    found = []
    for arm in arms:
        plan = planner.plan(arm)
        await hold.set_arm(arm, plan)
        reading = await hold.read_live(plan)
        assert reading.ok, f"arm {arm}: {reading.why}"
        found.append(reading.values)
    return found


async def restored(hold: Hold, planner: ArmPlanner) -> None:
    """Leave the arm that is set, and bring back what was before."""
    await hold.release()
    await hold.perform(planner.original())
