"""The first line of each node: what somebody reads who reads nothing else. And what the last line tells to do."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.support.host_reports import applied_report, checked_report, pending_plan, reverted_report, status_report

from sparktune.model.host_plan import CheckStatus, HostCheck, NodePlan
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.profile import Profile
from sparktune.model.transaction import ItemResult, StepResult, Transaction, TransactionOutcome, UndoneTransaction
from sparktune.report.host import Look, apply_text, confirm_text, plan_text, revert_text, status_text, verify_text

_LOOK = Look(width=400)
_NOTHING = NodePlan(node="n", boot_id="b", profile=Profile())
_Render = Callable[..., str]


def _node(**fields: object) -> NodeReport:
    return NodeReport(node="n", **fields)  # type: ignore[arg-type]


def _check(status: CheckStatus, effective: str = "7", why: str = "") -> HostCheck:
    return HostCheck(change="irq-affinity", target="t", wanted="0-4", effective=effective, status=status, why=why)


def _transaction(state: str, **fields: object) -> Transaction:
    return Transaction(id="t1", label="apply", state=state, boot_id="b", began_ns=0, **fields)  # type: ignore[arg-type]


def _outcome(state: str, transaction: str = "t1") -> TransactionOutcome:
    return TransactionOutcome(transaction=transaction, state=state)  # type: ignore[arg-type]


_VERDICTS: list[tuple[str, _Render, NodeReport, str]] = [
    ("nothing to do", plan_text, _node(plan=_NOTHING), "n: nothing to do, all that a step can set is set"),
    ("no answer to a plan", plan_text, _node(failure="n: gone"), "n: no plan"),
    ("applied already", apply_text, _node(plan=_NOTHING), "n: nothing to do, all was as the profile wants it"),
    ("not begun", apply_text, _node(plan=pending_plan().plan), "n: untouched"),
    (
        "half done",
        apply_text,
        _node(state=NodeState.INCOMPLETE, outcome=_outcome("incomplete")),
        "n: INCOMPLETE, neither as before nor as wanted (transaction t1)",
    ),
    (
        "taken back, but for an edit of somebody else",
        apply_text,
        _node(
            state=NodeState.ROLLED_BACK,
            outcome=replace(
                _outcome("rolled_back"),
                undone=(StepResult(step=0, kind="file", change="c", items={"/a": ItemResult(outcome="foreign")}),),
            ),
        ),
        "n: ROLLED BACK, but for what somebody else had changed (transaction t1)",
    ),
    (
        "link lost",
        apply_text,
        _node(state=NodeState.UNKNOWN, failure="n: the way broke"),
        "n: UNKNOWN, the connection broke while it worked; its journal has the answer",
    ),
    (
        "unconfirmed",
        apply_text,
        _node(state=NodeState.UNCONFIRMED, outcome=_outcome("unconfirmed")),
        "n: applied but UNCONFIRMED, it takes it back by itself unless confirmed: nothing (transaction t1)",
    ),
    (
        "applied in a transaction without a name",
        apply_text,
        _node(state=NodeState.APPLIED, outcome=_outcome("committed", "")),
        "n: applied: nothing",
    ),
    ("confirmed", confirm_text, _node(state=NodeState.APPLIED), "n: confirmed, it stays"),
    (
        "too late",
        confirm_text,
        _node(state=NodeState.REVERTED, failure="n: it is reverted"),
        "n: not confirmed: reverted",
    ),
    ("never looked at", verify_text, _node(), "n: not verified"),
    ("no answer", verify_text, _node(failure="n: gone"), "n: no answer"),
    ("nothing applied", verify_text, _node(checks=()), "n: nothing is applied here, and nothing waits for a reboot"),
    ("one is fine", verify_text, _node(checks=(_check(CheckStatus.OK),)), "n: the one state is as wanted"),
    ("two are fine", verify_text, _node(checks=(_check(CheckStatus.OK),) * 2), "n: all 2 states are as wanted"),
    (
        "only unread",
        verify_text,
        _node(checks=(_check(CheckStatus.UNREADABLE, ""),)),
        "n: of 1 state: 1 UNREADABLE",
    ),
    ("nothing to revert", revert_text, _node(), "n: nothing to take back"),
    ("revert failed", revert_text, _node(failure="n: busy"), "n: not reverted"),
    (
        "revert broke off",
        revert_text,
        _node(state=NodeState.UNKNOWN, failure="n: the way broke"),
        "n: UNKNOWN, the connection broke: see its journal",
    ),
    ("revert is not complete", revert_text, _node(state=NodeState.INCOMPLETE), "n: INCOMPLETE: see its journal"),
    (
        "nothing had been changed",
        revert_text,
        _node(state=NodeState.REVERTED, undone=(UndoneTransaction(transaction="t1", state="rolled_back"),)),
        "n: 1 transaction taken back: nothing",
    ),
    ("no journal", status_text, _node(), "n: nothing is applied"),
    ("status of a silent node", status_text, _node(failure="n: gone"), "n: no answer"),
    ("somebody works", status_text, _node(holder="me@laptop"), "n: nothing is applied; me@laptop works on it now"),
    (
        "crashed",
        status_text,
        _node(state=NodeState.INCOMPLETE, transactions=(_transaction("open"),)),
        "n: 1 transaction not finished, see below",
    ),
    (
        "waits to be confirmed",
        status_text,
        _node(state=NodeState.UNCONFIRMED, transactions=(_transaction("unconfirmed", confirm_by_ns=10**18),)),
        "n: 1 transaction applied since unknown, UNCONFIRMED: it is taken back unless confirmed",
    ),
]


@pytest.mark.parametrize(
    ("render", "report", "first"), [row[1:] for row in _VERDICTS], ids=[row[0] for row in _VERDICTS]
)
def test_the_first_line_says_it(render: _Render, report: NodeReport, first: str) -> None:
    assert render((report,), look=_LOOK).splitlines()[0] == first


_NEXT: list[tuple[str, _Render, NodeReport, str]] = [
    ("a plan", plan_text, pending_plan("n"), "nothing was changed; next: sparktune host apply"),
    ("nothing to do", plan_text, _node(plan=_NOTHING), "next: sparktune host verify"),
    ("applied, all live", apply_text, replace(applied_report("n"), checks=()), "at any time: sparktune host verify"),
    (
        "unconfirmed",
        apply_text,
        _node(state=NodeState.UNCONFIRMED),
        "to keep it (else it is taken back): sparktune host confirm",
    ),
    (
        "half done",
        apply_text,
        _node(state=NodeState.INCOMPLETE),
        "with no controller, on the node itself: sudo python3 /var/lib/sparktune/agent.pyz revert",
    ),
    ("different", verify_text, checked_report("n"), "what would make it so: sparktune host plan"),
    ("revert, reboot", revert_text, reverted_report("n"), "after the reboot: sparktune host verify"),
    ("revert again", revert_text, _node(state=NodeState.INCOMPLETE), "then again: sparktune host revert"),
    (
        "crashed",
        status_text,
        _node(transactions=(_transaction("open"),)),
        "to take back what was begun: sparktune host revert",
    ),
    ("unconfirmed", status_text, _node(transactions=(_transaction("unconfirmed"),)), "sparktune host confirm"),
    ("applied", status_text, status_report("n"), "to take it all back: sparktune host revert"),
]


@pytest.mark.parametrize(("render", "report", "said"), [row[1:] for row in _NEXT], ids=[row[0] for row in _NEXT])
def test_the_last_lines_name_the_next_command(render: _Render, report: NodeReport, said: str) -> None:
    last = render((report,), look=_LOOK).rsplit("\n\n", 1)[-1]

    assert said in last


def test_a_report_that_is_not_the_end_names_no_next_command() -> None:
    """Before a question, ``next: apply`` would be the wrong thing to say."""
    assert "next:" not in plan_text((pending_plan(),), look=replace(_LOOK, final=False))


def _apply(reports: Sequence[NodeReport]) -> str:
    return apply_text(reports, look=_LOOK)


def test_no_node_speaks_for_another() -> None:
    """Half of a cluster that is applied must not look like a cluster that is."""
    text = _apply((applied_report("spark1"), NodeReport(node="spark2", plan=pending_plan().plan, notes=("not begun",))))

    assert text.splitlines()[:2] == [
        (
            "spark1: applied: 80 changed, 4 so already, 1 managed; 1 step of it at the next boot "
            "(transaction 20261129-200000-1a2b); afterwards, of 6 states: 1 waiting for a reboot, 5 as wanted"
        ),
        "spark2: untouched",
    ]
    assert "  - spark2: not begun" in text


def test_what_a_crash_had_left_is_told_first() -> None:
    undone = UndoneTransaction(
        transaction="t0", state="rolled_back", steps=(StepResult(step=1, kind="file", change="c"),)
    )
    outcome = TransactionOutcome(transaction="t1", state="committed", recovered=(undone,))

    text = _apply((_node(state=NodeState.APPLIED, outcome=outcome),))

    assert "transaction t0, which had not ended: taken back" in text


def test_nothing_that_a_node_says_steers_the_terminal() -> None:
    """A process may be called anything, and so may a file."""
    evil = "\x1b]0;owned\x07\r\n\x9b2J"
    report = NodeReport(node="n", failure=f"n: {evil}", hint=evil, checks=(_check(CheckStatus.DIFFERENT, evil, evil),))
    texts = [render((report,), look=_LOOK) for render in (plan_text, apply_text, verify_text, revert_text, status_text)]

    assert {letter for text in texts for letter in text if not letter.isprintable()} == {"\n"}


def test_what_is_wanted_needs_no_value() -> None:
    """A file that is missing is missing; there is nothing that it should be."""
    check = HostCheck(
        change="workqueue", target="/sys/x", wanted="", effective="", status=CheckStatus.ABSENT, why="no file"
    )

    lines = verify_text((_node(checks=(check,)),), look=_LOOK).splitlines()

    assert "ABSENT  /sys/x  not there" in lines


def test_names_with_commas_stay_apart() -> None:
    """Processes are named with the container they are in; as one list with commas nobody could count them."""
    checks = tuple(replace(_check(CheckStatus.DIFFERENT), target=f"{pid} (vllm), container a") for pid in range(6))

    text = verify_text((_node(checks=checks),), look=_LOOK)

    assert (
        "0 (vllm), container a; 1 (vllm), container a; 2 (vllm), container a; 3 (vllm), container a; and 2 more" in text
    )


def test_a_transaction_that_could_not_be_begun_to_be_undone_says_why() -> None:
    undone = UndoneTransaction(transaction="t1", state="incomplete", why="a later one touched the same: t2")

    text = revert_text((_node(state=NodeState.INCOMPLETE, undone=(undone,)),), look=_LOOK)

    assert "transaction t1: NOT ALL IS TAKEN BACK\n  a later one touched the same: t2" in text


@pytest.mark.parametrize(("kind", "outcome", "said"), [("file", "restored", True), ("file", "foreign", False)])
def test_what_inherited_its_cpus_is_not_said_to_be_as_before(kind: str, outcome: str, said: bool) -> None:  # noqa: FBT001
    """PID 1 has its CPUs back; what it has started in between has not, and nothing lists that."""
    step = StepResult(step=0, kind=kind, change="manager-affinity", items={"/etc/x": ItemResult(outcome=outcome)})
    undone = UndoneTransaction(transaction="t1", state="reverted", steps=(step,))

    text = revert_text((_node(state=NodeState.REVERTED, undone=(undone,)),), look=_LOOK)

    assert ("keep the CPUs of its CPUAffinity=" in " ".join(text.split())) is said


@pytest.mark.parametrize(("over", "left_out"), [(5, ""), (6, "and 1 older one, taken back"), (80, "and 75 older ones")])
def test_what_is_over_does_not_push_off_the_screen_what_is_applied(over: int, left_out: str) -> None:
    """An evening of experiments with settings of the machine leaves a transaction for each visit."""
    first = replace(_transaction("committed"), id="first")
    journal = (first, *(replace(_transaction("reverted"), id=f"over-{number:02}") for number in range(over)))

    text = status_text([_node(state=NodeState.APPLIED, transactions=journal)], look=_LOOK)

    shown = [one.id for one in journal if one.id in text]
    assert shown == ["first", *(f"over-{number:02}" for number in range(over - 5, over))]
    assert (left_out in text) if left_out else ("older" not in text)
    assert not left_out or "--json has all" in text
