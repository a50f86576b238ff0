"""Every launcher, held to the same contract on real parts: what is measured is what was asked for, and nothing is left.

A comparison is only as good as this: an arm that is not the one that was asked for, a server of the other arm that
still answers, or a host that is not as it was before, and no statistics helps.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.compose_parts import compose_parts
from tests.support.launcher_parts import Parts, Shared, attach_parts, command_parts
from tests.support.ports import free_port
from tests.support.script_parts import script_parts
from tests.support.sparkrun_parts import sparkrun_parts
from tests.support.unit_parts import unit_parts

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import ArmFailed
from sparktune.io.http.address import parse_address
from sparktune.io.launching.address import answers
from sparktune.io.launching.hold import Hold
from sparktune.io.launching.sight import see
from sparktune.model.launcher import ArmPlan

_ROOT = pytest.mark.root
_MAKERS = (
    command_parts,
    attach_parts,
    script_parts,
    pytest.param(compose_parts, marks=_ROOT),
    pytest.param(unit_parts, marks=_ROOT),
    # Each of its starts takes sparkrun many seconds.
    pytest.param(sparkrun_parts, marks=(_ROOT, pytest.mark.slow, pytest.mark.timeout(600))),
)
_AT_ONCE_S = 10.0  # a second, on a machine that has nothing else to do


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    """What is started once for all tests."""
    with ExitStack() as stack:
        yield Shared(stack)


@pytest.fixture(params=_MAKERS, ids=lambda make: make.__name__.removesuffix("_parts"))
def parts(request: pytest.FixtureRequest, tmp_path: Path, shared: Shared) -> Iterator[Parts]:
    """One launcher after the other."""
    with request.param(tmp_path, free_port(), shared) as made:
        yield made


class _Held:
    """A hold, the planner with what it saw, and what there was before."""

    def __init__(self, parts: Parts, planner: ArmPlanner) -> None:
        self.parts, self.planner = parts, planner
        self.hold = Hold(parts.settings, remember=lambda _record: None)
        self.before = [path.read_bytes() for path in parts.files]

    async def begin(self) -> "_Held":
        await self.hold.perform(self.planner.begin())
        return self

    async def set(self, arm: str) -> ArmPlan:
        plan = self.planner.plan(arm)
        await self.hold.set_arm(arm, plan)
        return plan

    async def finish(self) -> None:
        await self.hold.release()
        await self.hold.perform(self.planner.original())


async def _held(parts: Parts) -> _Held:
    planner = ArmPlanner(launcher=parts.launcher, spec=parts.spec)
    planner.check()
    return _Held(parts, planner.with_seen(await see(lambda seen: planner.with_seen(seen).reads(), parts.settings)))


async def test_each_arm_is_live_when_it_is_set(parts: Parts) -> None:
    held = await (await _held(parts)).begin()
    for arm in ("A", "B", "A"):
        plan = await held.set(arm)
        reading = await held.hold.read_live(plan)
        assert reading.ok, reading.why
        assert [text for name, text in reading.values.items() if name.endswith(parts.tells)] == [parts.slots[arm]]
        assert await held.hold.read_live(plan) == reading, "nothing has changed between two readings"
    await held.finish()


async def test_the_other_arm_is_not_taken_for_it(parts: Parts) -> None:
    held = await (await _held(parts)).begin()
    await held.set("A")
    reading = await held.hold.read_live(held.planner.plan("B"))
    await held.finish()
    assert not reading.ok
    assert reading.why


async def test_a_sabotaged_arm_is_refused(parts: Parts) -> None:
    held = await (await _held(parts)).begin()
    for what, sabotage in parts.sabotage.items():
        plan = await held.set("B")
        before = await held.hold.read_live(plan)
        assert before.ok, before.why
        await asyncio.to_thread(sabotage)
        after = await held.hold.read_live(plan)
        assert not after.ok or after.values != before.values, what
        try:
            await held.hold.release()
        except ArmFailed as error:
            assert "answers" in str(error), what  # noqa: PT017 - whoever answers now is not ours, and is named
            await _nobody_answers(parts)
            await held.hold.release()
    await held.finish()


async def test_afterwards_everything_is_as_it_was(parts: Parts) -> None:
    held = await (await _held(parts)).begin()
    await held.set("B")
    await held.finish()
    assert [path.read_bytes() for path in parts.files] == held.before
    assert bool(parts.alive()) == parts.ran_before
    assert await answers(parse_address(parts.settings.base_url)) == parts.ran_before
    assert not held.hold.notes


async def test_one_that_never_generates_is_not_ready(parts: Parts) -> None:
    """It listens, it may even say that it is healthy, and it does not serve."""
    spec = replace(parts.spec, arms={**parts.spec.arms, "B": parts.never_ready})
    never = ArmPlanner(launcher=parts.launcher, spec=spec)
    held = await (await _held(parts)).begin()
    plan = never.with_seen(held.planner.seen).plan("B")
    with pytest.raises(ArmFailed):
        await held.hold.set_arm("B", plan)
    await held.finish()
    assert bool(parts.alive()) == parts.ran_before


async def test_a_kill_ends_it_at_once(parts: Parts) -> None:
    if not parts.kills:
        pytest.skip("the launcher does not know the service's processes")
    held = await (await _held(parts)).begin()
    await held.set("B")
    began = time.monotonic()
    await held.hold.kill()
    assert not parts.alive()
    assert time.monotonic() - began < _AT_ONCE_S
    await held.finish()


async def test_what_it_said_is_kept_of_each_visit(parts: Parts) -> None:
    if not parts.said:
        pytest.skip("what runs the service keeps its log")
    held = await (await _held(parts)).begin()
    for arm in ("A", "B"):
        await held.set(arm)
    await held.finish()
    logs = [path.read_text(errors="replace") for path in sorted(parts.settings.log_folder.iterdir())]
    assert len([text for text in logs if parts.said in text]) == len(("A", "B"))


async def _nobody_answers(parts: Parts) -> None:
    """End what the sabotage has started."""
    await asyncio.to_thread(parts.sabotage["it died"])
