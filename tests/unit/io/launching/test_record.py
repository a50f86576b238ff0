"""The record of what was touched: kept at every change, the same after JSON."""

import json
from typing import Any

from sparktune.io.launching.nodes import NodeEntry
from sparktune.io.launching.record import ProcessEntry, Record

_PROCESS = ProcessEntry(mark="m", kind="server", arm="B", command="x", log="l", state="starting")
_NODE = NodeEntry(node="n", host=None, root="/r", plan="p", before=("1",), state="applying")


def _record() -> tuple[Record, list[Any]]:
    kept: list[Any] = []
    return Record(kept.append, None), kept


def test_every_change_is_remembered() -> None:
    record, kept = _record()
    record.set_arm("B")
    record.set_arm("B")
    record.put_process(_PROCESS)
    record.change_process("m", state="running", pid=5)
    record.put_node(_NODE)
    assert len(kept) == 4, "what does not change is not written"
    assert kept[1]["processes"][0]["state"] == "starting", "what was kept does not change afterwards"
    assert kept[2]["processes"][0] == {**kept[1]["processes"][0], "state": "running", "pid": 5}


def test_it_comes_back_from_json_as_it_was() -> None:
    record, kept = _record()
    record.put_process(_PROCESS)
    record.put_node(_NODE)
    record.originals["n"] = {"boot": "b", "items": {"a": "1"}}
    record.save()

    again = Record(kept.append, json.loads(json.dumps(kept[-1])))

    assert again.as_json() == kept[-1]
    assert again.running == (_PROCESS,)
    assert again.standing == (_NODE,)


def test_a_transaction_is_the_same_one_in_all_its_states() -> None:
    record, _kept = _record()
    record.put_node(_NODE)
    record.put_node(NodeEntry(**{**_NODE.as_json(), "before": ("1",), "state": "undone", "transaction": "2"}))
    assert [one.state for one in record.nodes] == ["undone"]
    assert record.standing == ()


def test_a_switch_is_not_followed_by_its_mark() -> None:
    """The server that a script started carries the script's mark, and is to stay."""
    assert _PROCESS.mine.mark == "m"
    switch = ProcessEntry(mark="m", kind="switch", arm="B", command="x", log="l", state="running", pid=3)
    assert (switch.mine.mark, switch.mine.pid) == ("", 3)
