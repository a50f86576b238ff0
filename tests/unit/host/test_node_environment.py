"""What a hand-run container on a node should get, and that nothing is made up where a fact is not known."""

import shlex

import pytest
from tests.support.nodes import empty_node, healthy_node, node_over

from sparktune.host.lab.tree import NodeTree
from sparktune.host.node_environment import NodeEnvironment, node_environment
from sparktune.model.node import NodeFacts
from sparktune.report.node_environment import environment_file, environment_json, environment_options


def _values(found: NodeEnvironment) -> dict[str, str | None]:
    return {one.name: one.value for one in found.variables}


def _node(tree: NodeTree | None = None, **changes: object) -> NodeFacts:
    return node_over("spark1", tree or healthy_node(11), **changes)  # type: ignore[arg-type]


def test_a_healthy_node_gets_its_addressed_devices_and_no_index() -> None:
    found = node_environment(_node())

    values = _values(found)
    assert values["NCCL_IB_HCA"] == "rocep1s0f1,roceP2p1s0f1"
    assert {values[name] for name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")} == {
        "enp1s0f1np1"
    }
    assert values["VLLM_HOST_IP"] == "192.168.177.11"
    assert values["NCCL_IB_GID_INDEX"] is None
    assert [word for option in found.options for word in option.words] == [
        "--network", "host", "--ulimit", "memlock=-1:-1", "--device", "/dev/infiniband",
    ]  # fmt: skip
    assert "rocep1s0f0 is left out: its port is not up" in found.notes


def test_an_index_is_looked_up_only_when_asked_for() -> None:
    (index,) = (one for one in node_environment(_node(), gid="resolve").variables if one.name == "NCCL_IB_GID_INDEX")

    assert index.value is not None
    assert "as it is now" in index.why


def test_one_index_cannot_serve_devices_whose_indexes_differ() -> None:
    files = {
        "/sys/class/infiniband/rocep1s0f1/ports/1/gids/7": "0000:0000:0000:0000:0000:ffff:c0a8:b10b\n",
        "/sys/class/infiniband/rocep1s0f1/ports/1/gid_attrs/types/7": "RoCE v2\n",
        "/sys/class/infiniband/rocep1s0f1/ports/1/gids/3": "0000:0000:0000:0000:0000:0000:0000:0000\n",
        "/sys/class/infiniband/rocep1s0f1/ports/1/gids/4": "0000:0000:0000:0000:0000:0000:0000:0000\n",
    }

    (index,) = (
        one for one in node_environment(_node(files=files), gid="resolve").variables if one.name == "NCCL_IB_GID_INDEX"
    )

    assert index.value is None
    assert "theirs differ" in index.why


def test_a_node_of_which_nothing_is_known_gets_reasons_and_no_values() -> None:
    found = node_environment(_node(empty_node()), gid="resolve")

    assert set(_values(found).values()) == {None}
    assert all(one.why for one in found.variables)
    assert "/dev/infiniband" not in str([option.words for option in found.options])


@pytest.mark.parametrize("gid", ["unset", "resolve"])
def test_every_form_says_why_where_nothing_is_set(gid: str) -> None:
    found = node_environment(_node(empty_node()), gid=gid)  # type: ignore[arg-type]

    for text in (environment_file(found), environment_options(found)):
        assert "# NCCL_IB_HCA: unknown: no RDMA device was seen on this node" in text
    assert '"value": null' in environment_json(found)


def test_a_name_from_a_machine_cannot_become_a_command() -> None:
    odd = "en;touch x\x1b[2J$(id)"
    healthy = healthy_node(11)
    files = {path.replace("enp1s0f1np1", odd): text for path, text in healthy.files.items()}
    links = {path.replace("enp1s0f1np1", odd): text for path, text in healthy.links.items()}
    commands = {
        argv: text.replace("enp1s0f1np1", odd.replace("\x1b", "\\u001b")) for argv, text in healthy.commands.items()
    }

    text = environment_options(node_environment(_node(NodeTree(files=files, links=links, commands=commands))))

    assert "\x1b" not in text
    words = shlex.split(text, comments=True)
    assert "NCCL_SOCKET_IFNAME=en;touch x?[2J$(id)" in words, "one word of the shell, whatever is in it"
    assert [word for word in words if "touch" in word and "_SOCKET_IFNAME=" not in word] == []
