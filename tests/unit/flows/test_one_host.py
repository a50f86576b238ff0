"""Whether two names are one host: where a profile would be applied twice, and where a second name says nothing new."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sparktune.errors import NodeUnreachable, UsageError
from sparktune.flows import one_host
from sparktune.flows.host.apply import ApplyOptions, apply_all
from sparktune.flows.one_host import refuse_twins, second_names, shown_once
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.wire import Hello
from sparktune.model.host_plan import NodePlan
from sparktune.model.profile import Profile

_SPARK1 = ("b1", "spark1")


def _answer(who: tuple[str, str] | None) -> Hello | NodeUnreachable:
    if who is None:
        return NodeUnreachable("no route to host", hint="look at the cable")
    boot_id, hostname = who
    return Hello(protocol=1, boot_id=boot_id, hostname=hostname, uid=0, python="3.12", monotonic_ns=1, wall_ns=1)


def _cluster(
    monkeypatch: pytest.MonkeyPatch, **hosts: tuple[str, str] | None
) -> tuple[tuple[NodeTarget, ...], list[str]]:
    """Return nodes that answer with boot and name, None for one that does not; and who was asked."""
    asked: list[str] = []

    async def ask_all(targets: Sequence[NodeTarget], _ask: object, **_limits: float) -> list[object]:
        asked.extend(target.name for target in targets)
        return [_answer(hosts[target.name]) for target in targets]

    monkeypatch.setattr(one_host, "ask_all", ask_all)
    return tuple(NodeTarget(name=name, host=None if name == "local" else name) for name in hosts), asked


@pytest.mark.parametrize(
    ("hosts", "twins"),
    [
        ({"spark1": _SPARK1, "alias": _SPARK1}, "spark1 and alias are one host: both call themselves spark1"),
        ({"local": _SPARK1, "spark1": _SPARK1}, "local and spark1 are one host"),
        ({"a": _SPARK1, "b": ("b2", "spark2"), "c": ("b2", "spark2")}, "b and c are one host"),
        ({"spark1": _SPARK1, "spark2": ("b2", "spark2")}, ""),
        ({"one": ("b1", "promaxgb10"), "two": ("b2", "promaxgb10")}, ""),
        ({"box1": ("b1", "box1"), "box2": ("b1", "box2")}, ""),
        ({"spark1": _SPARK1, "gone": None, "lost": None}, ""),
        ({"mute1": ("", "spark1"), "mute2": ("", "spark1")}, ""),
    ],
    ids=[
        "two names", "this machine by ssh", "the other two", "two machines", "machines with the name they came with",
        "containers share a kernel and its boot", "those that do not answer", "those that do not tell their boot",
    ],
)  # fmt: skip
async def test_who_is_who(
    hosts: dict[str, tuple[str, str] | None], twins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets, _ = _cluster(monkeypatch, **hosts)
    if not twins:
        await refuse_twins(targets)
        assert await shown_once(targets) == (targets, ())
        return

    with pytest.raises(UsageError, match=twins):
        await refuse_twins(targets)
    once, notes = await shown_once(targets)

    assert once == targets[:-1]
    assert len(notes) == 1
    assert notes[0].startswith(f"{targets[-1].name} is left out: it is {targets[-2].name}, ")


@pytest.mark.parametrize(
    ("hosts", "note"),
    [
        (
            {"spark1": _SPARK1, "spark2": ("b2", "spark2"), "alias": _SPARK1},
            (
                "alias is spark1 by another name (both call themselves spark1, in the same boot): "
                "one machine is shown as two"
            ),
        ),
        ({"spark1": _SPARK1, "spark2": ("b2", "spark2"), "alias": None}, ""),
    ],
    ids=["two names", "one that has not answered"],
)  # fmt: skip
async def test_who_is_who_by_what_was_read_anyway(
    hosts: dict[str, tuple[str, str] | None], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where reading tells it by the way, nobody waits for a node that is off before the first answer."""
    targets, asked = _cluster(monkeypatch, **hosts)
    answers = {target: _answer(hosts[target.name]) for target in targets}

    assert second_names(targets, {who: one for who, one in answers.items() if isinstance(one, Hello)}) == (
        (note,) if note else ()
    )
    assert asked == []


async def test_plans_that_were_saved_for_two_names_are_not_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each plan alone is right: only together they change one host twice."""
    targets, _ = _cluster(monkeypatch, spark1=_SPARK1, alias=_SPARK1)
    plans = {target.name: NodePlan(node=target.name, boot_id="b1", profile=Profile()) for target in targets}

    with pytest.raises(UsageError, match="spark1 and alias are one host"):
        await apply_all(targets, plans, ApplyOptions(who="somebody"), lambda _node, _what: None)


async def test_one_node_is_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most people have one Spark, and no login of theirs is spent on a question that has one answer."""
    targets, asked = _cluster(monkeypatch, spark1=_SPARK1)
    folder = NodeTarget(name="tree", root=Path("/nowhere"))

    await refuse_twins((*targets, folder))

    assert asked == []


async def test_a_folder_by_two_names_is_one_node(tmp_path: Path) -> None:
    """A practice cluster is changed in place: twice the same tree would be applied twice."""
    (tmp_path / "spark1").mkdir()
    (tmp_path / "again").symlink_to(tmp_path / "spark1")
    trees = [NodeTarget(name=name, root=tmp_path / name) for name in ("spark1", "again")]

    with pytest.raises(UsageError, match="spark1 and again are one host: both are the folder"):
        await refuse_twins(trees)
