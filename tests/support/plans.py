"""Plans for tests: one of every kind of step, and strategies for any."""

from typing import Any

from hypothesis import strategies as st

from sparktune.model.host_plan import NodePlan, PlannedStep, Refusal, TakesEffect
from sparktune.model.profile import EarlyoomStance, IrqPolicy, Mode, Profile
from sparktune.model.step import (
    AffinityStep,
    ContainerStep,
    FileStep,
    IrqStep,
    IsolateStep,
    LinkStep,
    PropertyStep,
    ReloadStep,
    ServiceStep,
    Step,
    Task,
    ThreadRuleStep,
    ValueStep,
)

__all__ = ["EVERY_STEP", "plan_of", "planned", "profiles", "steps"]

EVERY_STEP: tuple[Step, ...] = (
    FileStep(path="/etc/a.conf", text="a = 1\n", mode=0o600, expect={"/etc/a.conf": None}),
    LinkStep(path="/etc/default.target", target="/lib/multi-user.target", expect={"/etc/default.target": "x"}),
    ValueStep(path="/proc/sys/vm/swappiness", text="1", lasting=True),
    IrqStep(devices=("0000:01:00.0",), cpus=(0, 1), spread=True, fixed=("0000:01:00.0#3",)),
    AffinityStep(tasks=(Task(pid=1, tid=2, start_time=3),), cpus=(0, 1)),
    PropertyStep(unit="system.slice", name="AllowedCPUs", value="0-4"),
    ReloadStep(manager="udev"),
    ServiceStep(unit="irqbalance.service", do="restart"),
    IsolateStep(target="multi-user.target"),
    ContainerStep(container="0123abcd", cpus="5-9", all_cpus="0-19"),
    ThreadRuleStep(exe="ggml-rpc-server", process="ggml-rpc-server", thread="poller", cpus=(4,)),
)


def planned(step: Step, change: str = "a-change", **fields: Any) -> PlannedStep:  # noqa: ANN401 - fields of the type
    """Return a step as part of a plan."""
    told: dict[str, Any] = {"target": "what", "before": "old", "after": "new", "takes_effect": TakesEffect.LIVE}
    return PlannedStep(change=change, step=step, **told | fields)


def plan_of(
    *all_steps: Step, node: str = "spark", boot_id: str = "boot", refusals: tuple[Refusal, ...] = ()
) -> NodePlan:
    """Return a plan of steps."""
    return NodePlan(
        node=node,
        boot_id=boot_id,
        profile=Profile(),
        steps=tuple(planned(step) for step in all_steps),
        refusals=refusals,
    )


_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
_TEXTS = st.lists(_TEXT, max_size=3).map(tuple)
_EXPECT = st.dictionaries(_TEXT, st.none() | _TEXT, max_size=2)
_CPUS = st.lists(st.integers(0, 30), max_size=3).map(tuple)
_TASKS = st.lists(st.builds(Task, pid=st.integers(1), tid=st.integers(1), start_time=st.integers(0)), max_size=2)


def steps() -> st.SearchStrategy[Step]:
    """Return any step."""
    flags = st.booleans()
    return st.one_of(
        st.builds(FileStep, path=_TEXT, text=st.none() | _TEXT, mode=st.integers(0, 0o7777), expect=_EXPECT),
        st.builds(LinkStep, path=_TEXT, target=st.none() | _TEXT, expect=_EXPECT),
        st.builds(
            ValueStep,
            path=_TEXT,
            text=_TEXT,
            form=st.sampled_from(["words", "cpulist", "mask"]),
            lasting=flags,
            reapply=flags,
            expect=_EXPECT,
        ),
        st.builds(IrqStep, devices=_TEXTS, cpus=_CPUS, spread=flags, fixed=_TEXTS, reapply=flags, expect=_EXPECT),
        st.builds(AffinityStep, tasks=_TASKS.map(tuple), cpus=_CPUS, expect=_EXPECT),
        st.builds(PropertyStep, unit=_TEXT, name=_TEXT, value=_TEXT, expect=_EXPECT),
        st.builds(ReloadStep, manager=st.sampled_from(["systemd", "udev"]), expect=_EXPECT),
        st.builds(ServiceStep, unit=_TEXT, do=st.sampled_from(["start", "stop", "restart"]), expect=_EXPECT),
        st.builds(IsolateStep, target=_TEXT, back=_TEXT, expect=_EXPECT),
        st.builds(ContainerStep, container=_TEXT, cpus=_TEXT, all_cpus=_TEXT, expect=_EXPECT),
        st.builds(ThreadRuleStep, exe=_TEXT, process=_TEXT, thread=_TEXT, cpus=_CPUS, expect=_EXPECT),
    )


def profiles() -> st.SearchStrategy[Profile]:
    """Return any profile."""
    return st.builds(
        Profile,
        name=_TEXT,
        mode=st.sampled_from(Mode),
        irq=st.sampled_from(IrqPolicy),
        irq_devices=_TEXTS,
        sysctls=st.dictionaries(_TEXT, _TEXT, max_size=2),
        target=_TEXT,
        isolate_now=st.booleans(),
        earlyoom=st.sampled_from(EarlyoomStance),
        without=_TEXTS,
    )
