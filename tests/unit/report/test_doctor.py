"""What a person and a script read of a diagnosis."""

import json

import pytest
from tests.support.node_cases import cluster_of

from sparktune.host.findings import judge
from sparktune.model.finding import Finding, Severity
from sparktune.model.node import ClusterFacts, NodeFacts
from sparktune.report.doctor import doctor_json, doctor_text
from sparktune.report.node import node_lines

_CPUS = (
    "spark1: GB10, 10 x Cortex-X925 (5-9,15-19), 10 x Cortex-A725 (0-4,10-14), no SMT, performance 5-9,15-19, "
    "efficiency 0-4,10-14"
)
_LOST = NodeFacts(node="spark3", failure="spark3: no route to host", hint="is it switched on?")


def _finding(severity: Severity = Severity.WARNING, **changes: object) -> Finding:
    return Finding(
        **{"rule": "governor", "severity": severity, "evidence": "seen", "hint": "do it", "node": "a", **changes}  # type: ignore[arg-type]
    )


def _cluster(*names: str) -> ClusterFacts:
    return cluster_of({"nodes": {name: {} for name in names}})


_UNTOLD = ClusterFacts(nodes=(NodeFacts(node="x"),))


@pytest.mark.parametrize(
    ("cluster", "findings", "verdict"),
    [
        (_cluster("a"), (), "nothing found on 1 node"),
        (_cluster("a", "b"), (_finding(Severity.ERROR), _finding(), _finding()), "1 error, 2 warnings on 2 nodes"),
        (ClusterFacts(nodes=(*_cluster("a").nodes, _LOST)), (), "nothing found on 1 of 2 nodes"),
        (_UNTOLD, (), "nothing is known of x: neither its CPUs nor its memory can be read"),
        (
            ClusterFacts(nodes=(*_cluster("a").nodes, *_UNTOLD.nodes)),
            (),
            "nothing is known of x: neither its CPUs nor its memory can be read",
        ),
        (_UNTOLD, (_finding(),), "1 warning on 1 node"),
        (ClusterFacts(nodes=(_LOST,)), (), "no answer from 1 node"),
    ],
)
def test_the_verdict_comes_first(cluster: ClusterFacts, findings: tuple[Finding, ...], verdict: str) -> None:
    assert doctor_text(cluster, findings).splitlines()[0] == verdict


def test_a_node_that_did_not_answer_says_why() -> None:
    text = doctor_text(ClusterFacts(nodes=(_LOST,)), ())

    assert "NO ANSWER  spark3\n" in text
    assert "spark3: no route to host" in text
    assert "fix: is it switched on?" in text


def test_a_failure_without_a_hint_has_no_fix() -> None:
    assert "fix:" not in doctor_text(ClusterFacts(nodes=(NodeFacts(node="x", failure="gone"),)), ())


def test_a_finding_says_what_why_where_and_how() -> None:
    lines = [line.strip() for line in doctor_text(_cluster("a"), (_finding(file="/etc/x", line=7),)).splitlines()]

    assert lines[2] == "WARNING  governor  a"
    assert lines[3] == "seen"
    assert lines[4] == "in: /etc/x, line 7"
    assert lines[5].startswith("why: Cores that wake up slow")
    assert "fix: do it" in lines


def test_what_is_the_same_on_several_nodes_is_read_once() -> None:
    text = doctor_text(_cluster("a", "b"), (_finding(), _finding(node="b"), _finding(node=None, file="x")))

    assert "governor  a, b\n" in text
    assert "governor  all nodes\n" in text
    assert "in: x\n" in text


def test_colour_only_where_it_is_wanted() -> None:
    findings = (_finding(Severity.ERROR),)

    assert "\x1b[31;1mERROR\x1b[0m    governor" in doctor_text(_cluster("a"), findings, color=True)
    assert "\x1b" not in doctor_text(_cluster("a"), findings)


def test_words_of_a_node_cannot_steer_the_terminal() -> None:
    """A container may be called anything; evidence quotes it."""
    text = doctor_text(_cluster("a"), (_finding(evidence="container \x1b[2Jx\x07"),))

    assert "container \\x1b[2Jx\\x07" in text
    assert "\x1b" not in text


def test_text_fits_a_terminal_of_eighty_columns() -> None:
    cluster = cluster_of({"nodes": {"spark1": {"engine": {"allowed": "0-4", "cpuset": ""}}, "spark2": {}}})

    lines = doctor_text(cluster, judge(cluster), width=80).splitlines()

    assert max(map(len, lines)) <= 80


def test_facts_of_a_healthy_node_in_a_few_lines() -> None:
    (node,) = cluster_of({}).nodes

    assert list(node_lines(node)) == [
        _CPUS,
        "  kernel 6.17.0-1014-nvidia, BIOS 5.36_0ACUM018, runc 1.2.6, Ubuntu 24.04 LTS",
        "  memory 54.0 GiB available of 119.7 GiB, swap 0 B used",
        "  hottest of 7 thermal zones 53 C",
        "  GPU 0 NVIDIA GB10, 0.0 % busy, 2411 MHz, 44 C, 10 W, driver 580.159.03",
        "  roceP2p1s0f0 DOWN, enP2p1s0f0np0 MTU 1500",
        "  roceP2p1s0f1 ACTIVE, 200 Gb/s, RoCE v2 GID 3 (192.168.178.11), enP2p1s0f1np1 MTU 9000",
        "  rocep1s0f0 DOWN, enp1s0f0np0 MTU 1500",
        "  rocep1s0f1 ACTIVE, 200 Gb/s, RoCE v2 GID 3 (192.168.177.11), enp1s0f1np1 MTU 9000",
        "  inference in container vllm: vllm api-server, vllm engine-core, vllm worker, CPUs 5-9,15-19",
    ]


def test_what_is_not_known_is_not_invented() -> None:
    (unread,) = cluster_of({"base": "empty"}).nodes

    assert list(node_lines(unread)) == ["spark1: CPUs unknown", "  memory unknown"]
    assert list(node_lines(NodeFacts(node="a"))) == ["a: CPUs unknown", "  memory unknown"]


def test_threads_per_core_are_not_told_when_nobody_knows() -> None:
    (node,) = cluster_of({"files": {"/sys/devices/system/cpu/smt/*": None, "*/thread_siblings_list": None}}).nodes

    assert "SMT" not in next(node_lines(node))


def test_parts_that_do_not_tell_are_left_out() -> None:
    (node,) = cluster_of(
        {
            "commands": {
                "--query-gpu=index,name": "0, [N/A], x, [N/A], x, P0, [N/A], [N/A], [N/A], [N/A], [N/A], 3003, [N/A]\n",
                "docker inspect": "[]",
                "ip -j addr": "[]",
            },
            "files": {
                "/proc/meminfo": "MemAvailable: 1024 kB\n",
                "/sys/module/nvidia/version": None,
                "/sys/class/net/*": None,
                "/sys/class/infiniband/*/ports/1/state": None,
                "/sys/devices/system/cpu/smt/active": "1\n",
                "/sys/devices/soc0/soc_id": None,
                "/sys/devices/system/cpu/cpu*/regs/identification/midr_el1": "0x00000000410fd851\n",
                "/proc/*/task/*/status": None,
                "/proc/*/cgroup": "0::/user.slice/x.scope\n",
            },
        }
    ).nodes

    lines = list(node_lines(node))

    assert lines[0] == "spark1: 20 x Cortex-X925 (0-19), SMT"
    assert "  memory 1.0 MiB available" in lines
    assert "  GPU 0 unknown" in lines
    assert "  rocep1s0f0 state unknown, enp1s0f0np0" in lines
    assert lines[-1] == "  inference in x.scope: vllm api-server, vllm engine-core, vllm worker"


def test_json_has_the_agreed_shape() -> None:
    cluster = ClusterFacts(nodes=(*cluster_of({}).nodes, _LOST))
    document = json.loads(doctor_json(cluster, judge(cluster)))

    assert document["schema"] == 1
    assert document["nodes"] == [
        {"node": "spark1", "answered": True},
        {"node": "spark3", "answered": False, "error": "spark3: no route to host", "hint": "is it switched on?"},
    ]
    assert list(document["facts"]) == ["spark1"]
    (finding,) = document["findings"]
    assert {"rule", "severity", "node", "file", "line", "evidence", "hint", "source", "why", "title"} == set(finding)
    assert (finding["rule"], finding["severity"], finding["file"]) == ("cores-mixed", "info", None)


@pytest.mark.parametrize(
    ("severities", "step"),
    [
        ((), "next: measure what runs there: sparktune bench"),
        ((Severity.INFO,), "next: measure what runs there: sparktune bench"),
        ((Severity.INFO, Severity.WARNING), "next: fix what is called WARNING above"),
        ((Severity.WARNING, Severity.ERROR), "next: fix what is called ERROR above"),
    ],
)
def test_the_last_line_names_the_next_step(severities: tuple[Severity, ...], step: str) -> None:
    """A stranger who has read it does not know what to do with a machine that is well."""
    findings = tuple(_finding(severity) for severity in severities)

    assert doctor_text(_cluster("a"), findings).splitlines()[-1].startswith(step)


def test_where_a_node_did_not_answer_its_own_fix_is_the_next_step() -> None:
    assert "next:" not in doctor_text(ClusterFacts(nodes=(*_cluster("a").nodes, _LOST)), ())
