"""What files of a report say: containers, network devices, listings, samples of a GPU, files of /proc."""

from collections.abc import Callable

from tests.support.case_report import case_report, only_node

from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.interrupts import InterruptFacts
from sparktune.host.facts.netdev import NetdevFacts
from sparktune.host.facts.netplan import NetplanFacts
from sparktune.host.facts.rdma import RdmaFacts
from sparktune.host.thread_load import ThreadLoadFacts
from sparktune.io.case_files import CaseFiles
from sparktune.model.observed import State

__all__ = ["case_report"]


def test_an_environment_beside_a_compose_file_only_fills_it_in(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    """Variables of ``.env`` reach a container only where the compose file says so."""
    files = report(
        {
            ".env": 'NCCL_DEBUG=INFO\nexport HCA="rocep1s0f0"\n# NCCL_X=1\n',
            "compose.yaml": "services: {engine: {image: x, environment: {NCCL_IB_HCA: '${HCA}'}}}",
        }
    )

    containers = only_node(files).get(ContainerFacts)
    assert containers is not None
    assert [(one.name, one.environment) for one in containers.containers] == [("engine", {"NCCL_IB_HCA": "rocep1s0f0"})]


def test_an_environment_alone_is_an_excerpt_of_a_container(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    containers = only_node(report({"env.canary": "NCCL_IB_HCA=rocep1s0f0\nHF_TOKEN=x\n"})).get(ContainerFacts)

    assert containers is not None
    (one,) = containers.containers
    assert (one.environment, one.complete, one.declared_in) == ({"NCCL_IB_HCA": "rocep1s0f0"}, False, "env.canary")


def test_inspected_and_declared_containers_stand_together(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    containers = only_node(
        report({"docker_inspect.json": '[{"Name": "/a"}]', "compose.yaml": "services: {b: {image: x}}"})
    ).get(ContainerFacts)

    assert containers is not None
    assert [one.name for one in containers.containers] == ["a", "b"]


def test_network_devices_are_put_together_from_several_files(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    node = only_node(
        report(
            {
                "ip_addr.txt": "enp1s0f0np0 UP 10.0.5.1/24 fe80::1/64\nwlP9s9 DOWN\n",
                "ip_link.txt": "4: enp1s0f0np0: <UP,LOWER_UP> mtu 9000 qdisc mq\n5: veth@if2: <UP> mtu 1500 qdisc\n",
                "ib_state.txt": "rocep1s0f0 port 1 state ACTIVE\n",
            }
        )
    )

    netdevs, rdma = node.get(NetdevFacts), node.get(RdmaFacts)
    assert netdevs is not None
    assert rdma is not None
    device = netdevs.device("enp1s0f0np0")
    assert device is not None
    assert (device.mtu.value, device.carrier.value, [str(one) for one in device.ipv4]) == (9000, True, ["10.0.5.1/24"])
    assert device.port_name.value == "p0"
    wifi, veth = netdevs.device("wlP9s9"), netdevs.device("veth")
    assert wifi is not None
    assert (wifi.mtu.state, wifi.addresses.value, wifi.carrier.state) == (State.ABSENT, (), State.ABSENT)
    assert veth is not None
    assert veth.addresses.state is State.UNREADABLE
    assert [(one.name, one.ports[0].active) for one in rdma.devices] == [("rocep1s0f0", True)]


def test_rdma_devices_of_a_gb10_are_told_by_its_network_devices(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    """Where no file lists RDMA devices; other names say nothing."""
    rdma = only_node(report({"ip_addr.txt": "enP2p1s0f1np1 UP 10.0.7.1/24\neth0 UP 192.0.2.1/24\n"})).get(RdmaFacts)

    assert rdma is not None
    assert [(one.name, one.netdevs, one.ports) for one in rdma.devices] == [("roceP2p1s0f1", ("enP2p1s0f1np1",), ())]


def test_a_listing_knows_files_not_what_they_say(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    netplan = only_node(report({"netplan_dir.txt": "total 8\n/etc/netplan/1.yaml\n/run/x.nmconnection\n"})).get(
        NetplanFacts
    )

    assert netplan is not None
    assert [(one.file, one.survives, one.complete) for one in netplan.profiles] == [
        ("/etc/netplan/1.yaml", True, False),
        ("/run/x.nmconnection", False, False),
    ]
    assert len(netplan.problems) == 2


def test_the_sample_under_the_highest_load_counts(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    header = "clocks.sm [MHz], utilization.gpu [%], power.draw [W]"
    rows = "2200 MHz, 3 %, [N/A]\n700 MHz, 99 %, 19.5 W\n"

    gpu = only_node(report({"gpu_samples.csv": f"{header}\n{rows}"})).get(GpuFacts)

    assert gpu is not None
    assert gpu.gpus.value is not None
    (one,) = gpu.gpus.value
    assert (one.sm_clock_hz.value, one.utilization.value, one.power.value) == (700e6, 0.99, 19.5)
    assert one.name.state is not State.PRESENT


def test_files_of_proc_are_those_of_a_node(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    node = only_node(
        report(
            {
                "proc_interrupts.txt": "     CPU0 CPU1\n 1: 5 6 GICv3 1 Edge timer\n",
                "cpuinfo.txt": "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd87\n",
                "top_H_1.txt": "",
            }
        )
    )

    interrupts, cpu, loads = node.get(InterruptFacts), node.get(CpuFacts), node.get(ThreadLoadFacts)
    assert interrupts is not None
    assert cpu is not None
    assert loads is not None
    assert [(kind.part, kind.cpus) for kind in cpu.types] == [(0xD87, frozenset({0}))]
    assert [(sample.file, sample.threads) for sample in loads.samples] == [("top_H_1.txt", ())]
