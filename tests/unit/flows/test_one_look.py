"""What drift and the status of nodes make of one look: facts read once, and never older than what they are held to."""

import pytest
from tests.support.nodes import healthy_node, tree_over
from tests.support.tree_sessions import TreeSession, tree_sessions

from sparktune.errors import NodeNeedsRoot, NodeTimeout
from sparktune.flows.doctor import diagnose
from sparktune.flows.drift import DriftWish, observe_drift
from sparktune.flows.host.verify import status_all
from sparktune.flows.look import Look
from sparktune.io.cluster import NodeTarget
from sparktune.io.drift.service import DriftTargets
from sparktune.io.transport.changes_wire import Journal
from sparktune.model.drift import ServicePlace
from sparktune.model.node_report import NodeState
from sparktune.model.transaction import Transaction

_SPARK = NodeTarget(name="spark", host="spark")
_WISH = DriftWish(
    place=ServicePlace(name="chat", launcher="attach", where=({"node": "spark", "file": "/srv/serve.sh"},)),
    targets=DriftTargets(nodes={"spark": _SPARK}),
    nodes=(_SPARK,),
)


def _journal(*, holder: str = "", began_ns: int = 1, ended_ns: int = 1) -> Journal:
    one = Transaction(id="1", label="apply", state="committed", boot_id="b", began_ns=began_ns, ended_ns=ended_ns)
    return Journal(transactions=(one,), holder=holder)


def _raises(error: Exception) -> Journal:
    raise error


def _session(target: NodeTarget, journal: Journal | Exception | None = None) -> TreeSession:
    def now() -> Journal:
        return _raises(journal) if isinstance(journal, Exception) else journal or Journal(transactions=(), holder="")

    tree = tree_over(healthy_node(1), files={"/srv/serve.sh": "vllm serve m --max-num-seqs 4\n"})
    return TreeSession(target=target, tree=tree, wall_ns=100, journal_now=now)


async def test_doctor_and_drift_in_one_look_read_a_nodes_facts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tree_sessions(monkeypatch, _session)
    async with Look() as look:
        diagnosis = await diagnose((_SPARK,), look)
        view = await observe_drift(_WISH, look)
        again = await observe_drift(_WISH, look)

    (session,) = made["spark"]
    assert session.asked.count("see") == 1
    assert session.asked.count("journal") == 1
    assert (session.asked[0], session.asked[-1]) == ("open", "close")
    assert view.nodes == diagnosis.cluster.nodes == again.nodes
    assert view.hosts == again.hosts


@pytest.mark.parametrize(
    ("journal", "seen"),
    [
        (_journal(), 1),
        (_journal(ended_ns=99), 1),
        (_journal(ended_ns=101), 2),  # applied or undone since
        (_journal(began_ns=101, ended_ns=0), 2),  # begun since
        (_journal(holder="somebody"), 2),  # at work now
    ],
)
async def test_facts_from_before_a_change_are_not_held_to_what_was_wanted_after_it(
    journal: Journal, seen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who applies a profile while doctor still waits for a slow node must not be told that it has drifted."""
    made = tree_sessions(monkeypatch, lambda target: _session(target, journal))
    async with Look() as look:
        await diagnose((_SPARK,), look)
        await status_all((_SPARK,), look)

    assert made["spark"][0].asked.count("see") == seen


async def test_a_journal_that_only_root_may_read_costs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tree_sessions(monkeypatch, lambda target: _session(target, NodeNeedsRoot("spark: only root", hint="sudo")))

    view = await observe_drift(_WISH)

    (report,), (node,), (part,) = view.hosts, view.nodes, view.parts
    assert (report.failure, report.hint, report.state) == ("spark: only root", "sudo", NodeState.UNKNOWN)
    assert (node.failure, part.file["max_num_seqs"].value) == ("", 4)
    assert len(made["spark"]) == 1


async def test_a_journal_that_never_comes_costs_nothing_else_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before all had one agent each had its own: what one question broke was nobody else's."""
    made = tree_sessions(monkeypatch, lambda target: _session(target, NodeTimeout("spark: no answer within 30 s")))

    view = await observe_drift(_WISH)

    (report,), (node,), (part,) = view.hosts, view.nodes, view.parts
    assert report.failure == "spark: no answer within 30 s"
    assert (node.failure, part.file["max_num_seqs"].value) == ("", 4)
    assert made["spark"][0].asked[-1] == "kill"


async def test_a_node_that_is_off_is_one_reason_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    class Off(TreeSession):
        async def open(self) -> None:
            message = "spark: no route"
            raise NodeTimeout(message, hint="is it on?")

    made = tree_sessions(monkeypatch, lambda target: Off(target=target, tree=healthy_node(1)))

    view = await observe_drift(_WISH)

    (report,), (node,), (part,) = view.hosts, view.nodes, view.parts
    assert (report.failure, report.hint) == (node.failure, node.hint) == ("spark: no route", "is it on?")
    assert set(part.unread.values()) == {"spark: no route"}
    assert len(made["spark"]) == 1
