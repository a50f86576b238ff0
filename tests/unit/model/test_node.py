"""What was not asked for looks like what does not exist, and a node that did not answer is judged by nobody."""

from dataclasses import dataclass

from sparktune.model.node import ClusterFacts, NodeFacts
from sparktune.model.observed import absent, present
from sparktune.model.reads import CommandOutput, Readings


@dataclass(frozen=True)
class Cores:
    """Facts of a test."""

    count: int


def test_readings_answer_by_what_was_asked() -> None:
    output = present(CommandOutput(stdout="x", stderr="", code=0))
    readings = Readings(
        files={"/a": present("1")}, matches={"/b/*": {"/b/1": present("2")}}, commands={("uname", "-r"): output}
    )

    assert readings.file("/a") == present("1")
    assert readings.matching("/b/*") == {"/b/1": present("2")}
    assert readings.command("uname", "-r") == output
    assert readings.file("/c") == absent()
    assert readings.matching("/c/*") == {}
    assert readings.command("lscpu") == absent()


def test_facts_are_found_by_their_type() -> None:
    node = NodeFacts(node="spark1", facts={Cores: Cores(20)})

    assert node.get(Cores) == Cores(20)
    assert node.get(dict) is None


def test_only_nodes_that_answered_are_judged() -> None:
    cluster = ClusterFacts(nodes=(NodeFacts(node="a"), NodeFacts(node="b", failure="no route to host")))

    assert [node.node for node in cluster.answered] == ["a"]
