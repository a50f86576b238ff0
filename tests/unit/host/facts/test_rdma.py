"""Which GID a RoCE connection can use, and which devices share a port."""

from ipaddress import IPv6Address

import pytest
from tests.support.shared import shared
from tests.support.trees import readings_of_text, readings_of_tree

from sparktune.host.facts.rdma import SOURCE, Gid, RdmaDevice, RdmaFacts, RdmaPort, usable_gid
from sparktune.model.observed import Observed, State, absent, present, unreadable

_LINK_LOCAL = "fe80::1"
_V4 = "::ffff:10.0.5.1"


def _port(*gids: tuple[int, str, str | None], slots: int = 8) -> RdmaPort:
    return RdmaPort(
        number=1,
        state=present("ACTIVE"),
        phys_state=absent(),
        rate_bit_s=absent(),
        link_layer=absent(),
        gids=tuple(
            Gid(
                index=index,
                address=IPv6Address(address),
                kind=unreadable("EINVAL") if kind is None else present(kind),
                netdev=absent(),
            )
            for index, address, kind in gids
        ),
        slots=frozenset(range(slots)),
        sent=absent(),
        received=absent(),
    )


@pytest.mark.parametrize(
    ("gids", "index"),
    [
        ([(2, _V4, "IB/RoCE v1"), (3, _V4, "RoCE v2")], 3),
        ([(1, _LINK_LOCAL, "RoCE v2"), (2, _V4, "IB/RoCE v1"), (4, _V4, "RoCE v2")], 4),
        ([(5, _V4, "RoCE v2"), (4, "::ffff:10.0.5.2", "RoCE v2")], 4),
        ([(1, _LINK_LOCAL, "RoCE v2"), (2, _V4, "IB/RoCE v1")], None),
        ([(3, "::ffff:169.254.9.1", "RoCE v2")], None),
        ([(3, "::ffff:0.0.0.0", "RoCE v2")], None),
        ([(3, "fd00::2", "RoCE v2")], None),
        ([(3, _V4, None)], None),
        ([], None),
    ],
)
def test_only_v2_with_an_ipv4_address_is_usable(gids: list[tuple[int, str, str | None]], index: int | None) -> None:
    """The first "RoCE v2" of a table is usually link-local: taking it is a fault seen in other tools."""
    found = usable_gid(_port(*gids))

    assert (None if found is None else found.index) == index


def test_a_slot_is_used_empty_or_not_read() -> None:
    port = _port((3, _V4, "RoCE v2"), slots=5)

    assert port.gid(3).state is State.PRESENT
    assert port.gid(4).state is State.ABSENT
    assert port.gid(5).state is State.UNREADABLE


@pytest.mark.parametrize(("node", "index"), [("node0-gid3", 3), ("node1-gid5", 5)])
def test_two_nodes_of_one_cluster_number_differently(node: str, index: int) -> None:
    """Made by hand after reports: 169.254 and IPv6 entries move the usable index of the second node."""
    root = shared(f"samples/gb10/synthetic/{node}")

    facts = SOURCE.parse(readings_of_tree(root, SOURCE.reads))

    ports = [device.ports[0] for device in facts.devices]
    assert [device.name for device in facts.devices] == ["roceP2p1s0f0", "rocep1s0f0"]
    assert [device.netdevs for device in facts.devices] == [("enP2p1s0f0np0",), ("enp1s0f0np0",)]
    assert [found.index if (found := usable_gid(port)) else None for port in ports] == [index, index]
    assert all(port.active and port.rate_bit_s == present(200e9) for port in ports)


def test_the_guide_s_port_is_understood() -> None:
    """The lines are those of a public guide to a GB10's ports."""
    lines = shared("samples/gb10/infiniband-port-attrs.txt").read_text().splitlines()
    files = {command.split()[-1]: answer for command, answer in zip(lines[::2], lines[1::2], strict=True)}

    port = SOURCE.parse(readings_of_text(SOURCE.reads, files)).devices[0].ports[0]

    assert (port.state.value, port.phys_state.value, port.rate_bit_s.value) == ("ACTIVE", "LinkUp", 200e9)


def _device(name: str, switch: Observed[str], port: Observed[str]) -> RdmaDevice:
    return RdmaDevice(
        name=name, netdevs=(), pci=absent(), firmware=absent(), switch_id=switch, port_name=port, ports=()
    )


def test_twins_have_the_same_switch_and_port() -> None:
    one = _device("rocep1s0f0", present("ab"), present("p0"))

    assert one.twin_of(_device("roceP2p1s0f0", present("ab"), present("p0")))
    assert not one.twin_of(_device("rocep1s0f1", present("ab"), present("p1")))
    assert not one.twin_of(one)


def test_what_is_unknown_makes_no_twins() -> None:
    one, other = _device("a", absent(), present("p0")), _device("b", absent(), present("p0"))

    assert not one.twin_of(other)


def test_a_device_is_found_by_its_name() -> None:
    device = _device("rocep1s0f0", absent(), absent())

    facts = RdmaFacts(devices=(device,))

    assert facts.device("rocep1s0f0") is device
    assert facts.device("mlx5_0") is None


@pytest.mark.parametrize(
    ("address", "link_local"),
    [("fe80::1", True), ("::ffff:169.254.9.1", True), ("::ffff:10.0.5.1", False), ("fd00::2", False)],
)
def test_link_local_in_both_families(address: str, *, link_local: bool) -> None:
    (gid,) = _port((1, address, "RoCE v2")).gids

    assert gid.link_local is link_local
