"""The practice cluster as text: what its own page promises, and nothing that a real machine wrote."""

from tests.support.nodes import node_over

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.interrupts import MELLANOX, InterruptFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.facts.rdma import RdmaFacts, usable_gid
from sparktune.host.findings import all_rules, judge
from sparktune.host.lab.faults import FAULTS, lab_nodes, readme
from sparktune.model.node import ClusterFacts


def test_doctor_finds_exactly_what_is_planted() -> None:
    cluster = ClusterFacts(nodes=tuple(node_over(name, tree) for name, tree in lab_nodes().items()))
    planted = {found for fault in FAULTS for found in fault.findings}

    assert {(finding.rule, finding.node) for finding in judge(cluster)} == planted


def test_the_page_names_every_fault_and_only_rules_that_exist() -> None:
    rules = {rule.id for rule in all_rules()}

    for fault in FAULTS:
        assert fault.text in readme()
        for rule, node in fault.findings:
            assert rule in rules
            assert f"`{rule}` ({node or 'both nodes'})" in readme()


def test_the_nodes_are_like_a_gb10() -> None:
    """Facts that public reports and a real sysfs tree agree on; see the modules' own sources."""
    node = node_over("spark2", lab_nodes()["spark2"])
    cpu, rdma, irqs, gpu = (node.get(kind) for kind in (CpuFacts, RdmaFacts, InterruptFacts, GpuFacts))

    assert cpu is not None
    assert cpu.platform.value == "GB10"
    assert [(kind.name, kind.capacity) for kind in cpu.types] == [("Cortex-X925", 1007.0), ("Cortex-A725", 724.5)]
    assert cpu.smt.value is False
    assert [(format_cpulist(cache.cpus), (cache.size.value or 0) >> 20) for cache in cpu.l3] == [
        ("0-9", 8),
        ("10-19", 16),
    ]
    assert rdma is not None
    gids = [usable_gid(port) for device in rdma.devices for port in device.ports]
    assert [str(gid.ipv4) if gid else None for gid in gids] == [None, "192.168.178.12", None, "192.168.177.12"]
    assert irqs is not None
    assert sum(one.vendor == MELLANOX for one in irqs.interrupts.value or ()) == 84
    assert gpu is not None
    assert [one.memory_total.value for one in gpu.gpus.value or ()] == [None]


def test_threads_ran_on_the_cores_that_they_may_use() -> None:
    processes = node_over("spark2", lab_nodes()["spark2"]).get(ProcessFacts)

    assert processes is not None
    for thread in (thread for process in processes.processes for thread in process.threads):
        assert thread.last_core.value in (thread.allowed.value or ())
