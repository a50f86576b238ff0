"""Facts as JSON: SI numbers, and null with a reason for what is not known."""

import json
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address

from tests.support.node_cases import cluster_of

from sparktune.host.facts import all_sources
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.report.facts import plain_facts


class Colour(Enum):
    """An enum of a test."""

    RED = "red"


@dataclass(frozen=True)
class Inner:
    """A record in a record."""

    size: Observed[int]


@dataclass(frozen=True)
class Outer:
    """Every kind of value that facts have."""

    there: Observed[Inner]
    gone: Observed[int]
    closed: Observed[int]
    cpus: frozenset[int]
    several: tuple[Inner, ...]
    by_name: dict[str, Inner]
    colour: Colour
    address: IPv4Address
    nothing: None = None


def test_every_kind_of_value() -> None:
    outer = Outer(
        there=present(Inner(present(5))),
        gone=absent(),
        closed=unreadable("permission denied"),
        cpus=frozenset({0, 1, 2, 7}),
        several=(Inner(absent()),),
        by_name={"a": Inner(present(1))},
        colour=Colour.RED,
        address=IPv4Address("10.0.0.1"),
    )

    assert plain_facts(NodeFacts(node="a", facts={Outer: outer})) == {
        "Outer": {
            "there": {"size": 5},
            "gone": None,
            "gone_why": "not there",
            "closed": None,
            "closed_why": "permission denied",
            "cpus": "0-2,7",
            "several": [{"size": None, "size_why": "not there"}],
            "by_name": {"a": {"size": 1}},
            "colour": "red",
            "address": "10.0.0.1",
            "nothing": None,
        }
    }


def test_all_facts_of_a_node_can_be_written() -> None:
    (node,) = cluster_of({}).nodes
    written = json.loads(json.dumps(plain_facts(node)))

    assert set(written) == {source.name for source in all_sources()}
    assert written["memory"]["total"] == 125_508_468 * 1024
    assert written["cpu"]["split"]["performance"] == "5-9,15-19"
