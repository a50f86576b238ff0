"""A link or an agent that breaks in the middle of a transaction: the report says what the node is, not a hope."""

import asyncio
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.host_trees import tree_hash, write_node
from tests.support.odd_ssh import odd_ssh
from tests.support.plans import plan_of

from sparktune.errors import ExitCode
from sparktune.flows.host.apply import ApplyOptions, apply_all
from sparktune.flows.host.outcome import HostOutcome
from sparktune.flows.host.verbs import apply_plans, confirm_nodes, revert_nodes, status_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Request
from sparktune.io.transport.child import Child
from sparktune.io.transport.session import NodeSession
from sparktune.model.node_report import NodeState
from sparktune.model.profile import Profile
from sparktune.model.step import FileStep, ValueStep

_SWAPPINESS = "/proc/sys/vm/swappiness"
_STEPS = (
    FileStep(path="/etc/sysctl.d/99-zz-sparktune.conf", text="vm.swappiness = 1\n"),
    ValueStep(path=_SWAPPINESS, text="1", lasting=True),
)
_PLAN = replace(
    plan_of(*_STEPS, boot_id="00000000-0000-4000-8000-000000000001"),
    profile=Profile(without=("irq-affinity", "slices"), allow_slow=True),
)
_JOURNALS = "var/lib/sparktune/txn/*/journal.jsonl"
_HERE = NodeTarget(name="spark", host="spark")
_ODD = Path(__file__).parents[2] / "support" / "odd_ssh.py"

Orders = Callable[..., Path]


@pytest.fixture(name="orders")
def _orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Orders:
    """Make a node behind an odd ssh."""
    tree = tmp_path / "tree"
    write_node(tree)

    def write(**orders: object) -> Path:
        odd_ssh(tmp_path / "orders", "spark", root=str(tree), **orders)
        monkeypatch.setenv("SPARKTUNE_SSH", f"{sys.executable} {_ODD} {tmp_path / 'orders'}")
        return tree

    return write


def _apply(confirm_within_s: float | None = None) -> HostOutcome:
    return apply_plans((_HERE,), {"spark": _PLAN}, who="me", confirm_within_s=confirm_within_s)


def _swappiness(tree: Path) -> str:
    return (tree / _SWAPPINESS.lstrip("/")).read_text().strip()


def test_a_node_behind_the_odd_ssh_is_a_node_when_nothing_is_wrong(orders: Orders) -> None:
    """Else the cases below would prove nothing."""
    tree = orders()

    outcome = _apply()

    assert [report.state for report in outcome.reports] == [NodeState.APPLIED], outcome.reports
    assert _swappiness(tree) == "1"


@pytest.mark.parametrize("record", ["BEGIN", "PREPARE", "DONE"])
def test_an_agent_that_dies_half_way_is_taken_back(orders: Orders, record: str) -> None:
    """Nothing half done stays behind, and the report does not say that it is applied."""
    tree = orders(dies_at=record)
    before = tree_hash(tree)

    outcome = _apply()

    (report,) = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert report.state is NodeState.ROLLED_BACK, report
    assert report.failure.startswith("spark: ")
    assert "it died half-way and was taken back" in report.notes
    assert tree_hash(tree) == before
    assert status_nodes((_HERE,)).reports[0].state is NodeState.ROLLED_BACK


def test_an_agent_that_dies_when_all_is_done_has_done_it(orders: Orders) -> None:
    tree = orders(dies_at="COMMIT")

    outcome = _apply()

    (report,) = outcome.reports
    assert report.state is NodeState.APPLIED, report
    assert any("broke off" in note for note in report.notes)
    assert report.checks is not None, "and is looked at"
    assert _swappiness(tree) == "1"


def test_a_link_that_breaks_does_not_break_the_transaction(orders: Orders) -> None:
    """The node goes on by itself; whoever comes back is told what it came to."""
    tree = orders(link_dies_at="PREPARE")

    outcome = _apply()

    (report,) = outcome.reports
    assert report.state is NodeState.APPLIED, report
    assert "its journal says committed" in report.notes
    assert _swappiness(tree) == "1"


def test_a_link_that_does_not_come_back_leaves_the_node_unknown(orders: Orders) -> None:
    """Nobody knows, and the report says so."""
    orders(dies_at="DONE", refuses=2)

    outcome = _apply()

    (report,) = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert report.state is NodeState.UNKNOWN
    assert report.failure.startswith("spark: ")
    assert any("No route to host" in note for note in report.notes)


def test_undoing_that_breaks_off_is_done_once_more(orders: Orders) -> None:
    """It is the same however often it is done."""
    tree = orders()
    before = tree_hash(tree)
    _apply()
    orders(dies_at="UNDO")

    outcome = revert_nodes((_HERE,), who="me")

    (report,) = outcome.reports
    assert outcome.exit_code is ExitCode.DONE, report
    assert report.state is NodeState.REVERTED
    assert any("asked once more" in note for note in report.notes)
    assert tree_hash(tree) == before


def test_undoing_whose_answer_got_lost_is_done(orders: Orders) -> None:
    tree = orders()
    before = tree_hash(tree)
    _apply()
    orders(dies_at="REVERTED")

    (report,) = revert_nodes((_HERE,), who="me").reports

    assert (report.state, report.failure) == (NodeState.REVERTED, "")
    assert tree_hash(tree) == before


async def test_ctrl_c_lets_the_node_at_hand_come_to_its_end(orders: Orders, tmp_path: Path) -> None:
    """Half a transaction, or one that nobody has seen the end of, is worse than one more second."""
    go = tmp_path / "go"
    tree = orders(waits_for=str(go))
    write_node(tmp_path / "other")
    other = tree_hash(tmp_path / "other")
    target = NodeTarget(name="other", root=tmp_path / "other")
    plans = {"spark": _PLAN, "other": replace(_PLAN, node="other")}
    work = asyncio.create_task(apply_all((_HERE, target), plans, ApplyOptions(who="me"), lambda _node, _what: None))
    while not any(b"PREPARE" in path.read_bytes() for path in tree.glob(_JOURNALS)):  # noqa: ASYNC110 - of another process
        await asyncio.sleep(0.05)

    work.cancel()
    await asyncio.sleep(0)
    go.touch()
    outcome = await work

    first, second = outcome.reports
    assert outcome.exit_code is ExitCode.INTERRUPTED
    assert (first.state, first.failure) == (NodeState.APPLIED, "")
    assert second.notes == ("not begun: interrupted",)
    assert tree_hash(tmp_path / "other") == other


async def test_a_controller_that_is_ended_leaves_its_own_machine_as_it_was(
    orders: Orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else is there to finish what an agent on this machine has begun."""
    go = tmp_path / "go"
    tree = orders(waits_for=str(go))
    before = tree_hash(tree)
    session = NodeSession(NodeTarget(name="spark", root=tree))
    remote = shlex.join(session._command[:-1])
    session._command = (sys.executable, str(_ODD), str(tmp_path / "orders"), "--", "spark", remote)
    ask_to_end = Child.ask_to_end

    async def asked(child: Child, limit_s: float) -> None:
        asyncio.get_running_loop().call_soon(go.touch)  # once the signal is on its way
        await ask_to_end(child, limit_s)

    monkeypatch.setattr(Child, "ask_to_end", asked)
    work = asyncio.create_task(_transact(session))
    while not any(b"PREPARE" in path.read_bytes() for path in tree.glob(_JOURNALS)):  # noqa: ASYNC110 - of another process
        await asyncio.sleep(0.05)

    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert tree_hash(tree) == before
    (journal,) = tree.glob(_JOURNALS)
    assert b"ABORT" in journal.read_bytes(), "it was taken back, not only left alone"


async def _transact(session: NodeSession) -> None:
    async with session as node:
        await node.transact(Request(plan=_PLAN, who="me"))


def test_a_way_that_is_only_open_for_the_old_connection_is_not_confirmed(orders: Orders) -> None:
    """A connection that ssh keeps would hide that nobody can get there any more: then the node undoes it by itself."""
    tree = orders(refuses_new=True)
    before = tree_hash(tree)

    outcome = _apply(confirm_within_s=1.0)

    (report,) = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert report.state is NodeState.UNCONFIRMED, report
    assert "undoes it by itself" in report.failure
    while tree_hash(tree) != before:
        time.sleep(0.1)  # it takes as long as it takes; one that stays is a timeout of this test


def test_what_was_undone_cannot_be_confirmed(orders: Orders) -> None:
    tree = orders(refuses_new=True)
    before = tree_hash(tree)
    (report,) = _apply(confirm_within_s=1.0).reports
    assert report.outcome is not None
    while tree_hash(tree) != before or status_nodes((_HERE,)).reports[0].state is NodeState.UNCONFIRMED:
        time.sleep(0.1)
    orders()

    confirmed = confirm_nodes((_HERE,), {"spark": report.outcome.transaction})

    assert confirmed.exit_code is ExitCode.FAILED
    assert "cannot be confirmed any more" in confirmed.reports[0].failure
