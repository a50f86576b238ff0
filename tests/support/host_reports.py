"""Reports of host commands, made up: two nodes on which most of what can be said is so."""

__all__ = [
    "CHANGES",
    "applied_report",
    "broken_report",
    "checked_report",
    "pending_plan",
    "refused_plan",
    "reverted_report",
    "status_report",
]

from sparktune.model.host_plan import (
    ChangePlan,
    CheckStatus,
    HostChange,
    HostCheck,
    NodePlan,
    PlannedStep,
    Refusal,
    TakesEffect,
)
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.profile import Profile
from sparktune.model.step import FileStep, IsolateStep, LinkStep, ReloadStep, ValueStep
from sparktune.model.transaction import (
    ItemResult,
    JournalEntry,
    StepResult,
    Transaction,
    TransactionOutcome,
    UndoneTransaction,
)

_BOOT = "6f1b0b1e-0000-4000-8000-000000000001"
_DEVICES = ("0000:01:00.0", "0000:01:00.1", "0002:01:00.0", "0002:01:00.1")
_MANAGED = "the kernel places it and refuses every write"
_NS = 1_000_000_000


def _change(name: str, title: str, order: int) -> HostChange:
    return HostChange(
        id=name,
        title=title,
        does=f"what {name} does",
        does_not=f"what {name} leaves alone",
        effect="none measured",
        source="a page of a manual",
        order=order,
        plan=lambda _view: ChangePlan(),
        verify=lambda _view: (),
    )


CHANGES = (
    _change("slices", "Cores of the system's slices", 200),
    _change("irq-affinity", "Interrupts of GPU and network adapter", 300),
    _change("default-target", "What is booted by default", 400),
    _change("sysctl", "Kernel settings of virtual memory", 500),
)


def _vectors() -> list[PlannedStep]:
    """84 vectors that were each somewhere else: what a plan must not print as 84 lines."""
    return [
        PlannedStep(
            change="irq-affinity",
            target=f"{device}#{index}",
            before=str(index % 20),
            after="0-4,10-14",
            takes_effect=TakesEffect.LIVE,
            step=ValueStep(path=f"/proc/irq/{300 + index}/smp_affinity_list", text="0-4,10-14"),
        )
        for device in _DEVICES
        for index in range(21)
    ]


def _others() -> list[PlannedStep]:
    drop_in = "/etc/systemd/system/system.slice.d/zz-sparktune.conf"
    sysctl = "/etc/sysctl.d/99-zz-sparktune.conf"
    return [
        PlannedStep(
            change="slices",
            target=drop_in,
            before="no file",
            after="system.slice gets 0-4,10-14 at every boot",
            takes_effect=TakesEffect.LIVE,
            step=FileStep(path=drop_in, text="[Slice]\nAllowedCPUs=0-4 10-14\n"),
            diff=f"--- /dev/null\n+++ {drop_in}\n@@ -0,0 +1,2 @@\n+[Slice]\n+AllowedCPUs=0-4 10-14",
        ),
        PlannedStep(
            change="slices",
            target="systemd",
            before="",
            after="reads its unit files again",
            takes_effect=TakesEffect.LIVE,
            step=ReloadStep(),
        ),
        PlannedStep(
            change="sysctl",
            target="vm.swappiness",
            before="10",
            after="1",
            takes_effect=TakesEffect.LIVE,
            step=ValueStep(path="/proc/sys/vm/swappiness", text="1"),
        ),
        PlannedStep(
            change="sysctl",
            target=sysctl,
            before="vm.swappiness = 10",
            after="vm.swappiness = 1",
            takes_effect=TakesEffect.LIVE,
            step=FileStep(path=sysctl, text="vm.swappiness = 1\n"),
            diff=f"--- {sysctl}\n+++ {sysctl}\n@@ -1 +1 @@\n-vm.swappiness = 10\n+vm.swappiness = 1",
        ),
        PlannedStep(
            change="default-target",
            target="/etc/systemd/system/default.target",
            before="graphical.target",
            after="multi-user.target",
            takes_effect=TakesEffect.REBOOT,
            step=LinkStep(path="/etc/systemd/system/default.target", target="/lib/systemd/system/multi-user.target"),
        ),
        PlannedStep(
            change="default-target",
            target="the running system",
            before="graphical.target",
            after="multi-user.target",
            takes_effect=TakesEffect.LIVE,
            step=IsolateStep(target="multi-user.target"),
            cuts_off=True,
        ),
    ]


def pending_plan(node: str = "spark1") -> NodeReport:
    """A plan that can be carried out."""
    steps = _others()
    plan = NodePlan(
        node=node,
        boot_id=_BOOT,
        profile=Profile(),
        steps=(*steps[:2], *_vectors(), *steps[2:]),
        notes=("earlyoom is active: it ends processes when memory runs out; it is left as it is",),
    )
    return NodeReport(node=node, plan=plan)


def refused_plan(node: str = "spark2") -> NodeReport:
    """A plan that must not be carried out; a process has a name that would steer a terminal."""
    refusals = (
        Refusal(
            change="slices",
            reason="running inference would be left with the efficiency cores only",
            hint="start its container in inference.slice",
            evidence=(
                f"process 4242 (vllm engine-core), /system.slice/docker-{'5a' * 32}.scope, may use 0-19",
                "process 4243 (\x1b[2Jllama\r\nserver), started by hand, may use 0-19",
            ),
            allow="--allow-slow",
        ),
        Refusal(
            change="irq-affinity",
            reason="TuneD sets these interrupts, too, with its profile latency-performance",
            hint="stop one of the two: tuned-adm off",
        ),
    )
    return NodeReport(
        node=node,
        plan=NodePlan(node=node, boot_id=_BOOT, profile=Profile(), steps=tuple(_others()[2:4]), refusals=refusals),
    )


def _irq_step(step: int = 2) -> StepResult:
    items = {
        f"{device}#{index}": ItemResult(outcome="managed", why=_MANAGED)
        if index == 0 and device == "0002:01:00.1"
        else ItemResult(outcome="already" if index == 5 else "changed")
        for device in _DEVICES
        for index in range(21)
    }
    return StepResult(step=step, kind="irq", change="irq-affinity", items=items)


def applied_report(node: str = "spark1") -> NodeReport:
    """A node on which all was done, and one thing waits for a reboot."""
    swappiness = StepResult(
        step=3, kind="value", change="sysctl", items={"/proc/sys/vm/swappiness": ItemResult(outcome="changed")}
    )
    outcome = TransactionOutcome(transaction="20261129-200000-1a2b", state="committed", steps=(_irq_step(), swappiness))
    return NodeReport(
        node=node, state=NodeState.APPLIED, plan=pending_plan(node).plan, outcome=outcome, checks=_checks()[3:]
    )


def broken_report(node: str = "spark2") -> NodeReport:
    """A node on which a step failed, so that all was taken back."""
    ineffective = ItemResult(outcome="ineffective", why="written, but not so afterwards", found="10", wanted="1")
    done = StepResult(step=3, kind="value", change="sysctl", items={"/proc/sys/vm/swappiness": ineffective})
    undone = StepResult(
        step=2, kind="irq", change="irq-affinity", items={"0000:01:00.0#0": ItemResult(outcome="restored")}
    )
    outcome = TransactionOutcome(
        transaction="20261129-200003-3c4d",
        state="rolled_back",
        failed="step 3 (sysctl): /proc/sys/vm/swappiness is 10 after 1 was written",
        steps=(done,),
        undone=(undone,),
    )
    return NodeReport(
        node=node,
        state=NodeState.ROLLED_BACK,
        plan=pending_plan(node).plan,
        outcome=outcome,
        failure=f"{node}: {outcome.failed}; all was taken back",
        hint="mend what the step met, plan and apply again",
    )


def _checks() -> tuple[HostCheck, ...]:
    def check(change: str, target: str, wanted: str, effective: str, status: CheckStatus, why: str = "") -> HostCheck:
        return HostCheck(change=change, target=target, wanted=wanted, effective=effective, status=status, why=why)

    different, fine = CheckStatus.DIFFERENT, CheckStatus.OK
    return (
        check("irq-affinity", "0000:01:00.1#3", "0-4,10-14", "7", different, "something else placed it"),
        check("irq-affinity", "0000:01:00.1#4", "0-4,10-14", "8", different, "something else placed it"),
        check("slices", "init.scope", "0-4,10-14", "", CheckStatus.UNREADABLE, "needs root"),
        check("default-target", "the running system", "multi-user.target", "graphical.target",
              CheckStatus.PENDING_REBOOT, "it is the target of the next boot"),
        *(check("irq-affinity", device, "0-4,10-14", "0-4,10-14", fine) for device in _DEVICES),
        check("sysctl", "vm.swappiness", "1", "1", fine),
    )  # fmt: skip


def checked_report(node: str = "spark1") -> NodeReport:
    """A node of which every kind of answer is known."""
    return NodeReport(node=node, state=NodeState.APPLIED, checks=_checks())


def reverted_report(node: str = "spark1") -> NodeReport:
    """A node on which somebody else had changed something in between."""
    foreign = ItemResult(outcome="foreign", why="somebody else changed it since", found="30", wanted="10")
    steps = (
        StepResult(step=3, kind="value", change="sysctl", items={"/proc/sys/vm/swappiness": foreign}),
        StepResult(
            step=2,
            kind="irq",
            change="irq-affinity",
            items={f"0000:01:00.0#{index}": ItemResult(outcome="restored") for index in range(21)},
        ),
        StepResult(
            step=1, kind="property", change="slices", items={"system.slice AllowedCPUs": ItemResult(outcome="void")}
        ),
    )
    undone = UndoneTransaction(transaction="20261129-200000-1a2b", state="reverted", steps=steps)
    return NodeReport(node=node, state=NodeState.REVERTED, undone=(undone,), checks=_checks()[3:4])


def status_report(node: str = "spark1") -> NodeReport:
    """A node with an earlier transaction that was reverted, and two that are applied."""
    first = tuple(
        JournalEntry(change="irq-affinity", kind="irq", item=f"{device}#{index}", before=str(index), after="0-4,10-14")
        for device in _DEVICES[:2]
        for index in range(21)
    )
    file = JournalEntry(
        change="sysctl", kind="file", item="/etc/sysctl.d/99-zz-sparktune.conf", before=None, after="vm.swappiness = 1"
    )

    def transaction(name: str, state: str, began_s: int, entries: tuple[JournalEntry, ...], label: str) -> Transaction:
        return Transaction(
            id=name,
            label=label,
            state=state,  # type: ignore[arg-type]
            boot_id=_BOOT,
            began_ns=began_s * _NS,
            ended_ns=(began_s + 2) * _NS,
            who="me@laptop",
            profile={"name": "inference"},
            entries=entries,
        )

    return NodeReport(
        node=node,
        state=NodeState.APPLIED,
        transactions=(
            transaction("20261129-190000-9f9f", "reverted", 1_796_000_000, first[:2], "apply"),
            transaction("20261129-200000-1a2b", "committed", 1_796_003_600, first, "apply"),
            transaction("20261129-210000-5e6f", "committed", 1_796_007_200, (file,), "apply"),
        ),
        checks=_checks(),
    )
