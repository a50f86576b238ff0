"""What files declare is judged on the nodes that they are for; what runs there now is left aside."""

from tests.support.node_cases import cluster_of

from sparktune.host.declared import DECLARED_RULES, Declared, judge_declared
from sparktune.host.findings import all_rules

_ONE = Declared(file="node.env", name="node.env", variables={"GLOO_SOCKET_IFNAME": "enp9s9", "HF_TOKEN": "x"})


def test_files_are_judged_and_processes_are_not() -> None:
    nodes = cluster_of({"environment": {"TP_SOCKET_IFNAME": "enp8s8"}}).nodes

    (found,) = [one for one in judge_declared(nodes, [_ONE]) if one.rule == "socket-without-address"]

    assert (found.file, found.node) == ("node.env", nodes[0].node)
    assert "GLOO_SOCKET_IFNAME=enp9s9" in found.evidence


def test_nothing_is_found_without_nodes_or_files() -> None:
    assert judge_declared((), [_ONE]) == ()
    assert judge_declared(cluster_of({}).nodes, []) == ()


def test_the_rules_that_are_asked_exist() -> None:
    assert {rule.id for rule in all_rules()} >= DECLARED_RULES
