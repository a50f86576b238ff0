"""Loose files of a report in, findings out: what people paste when they ask for help, and what they should hear."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared
from tests.support.yaml_cases import yaml_cases

from sparktune.host.findings import judge
from sparktune.io.case_files import CaseFiles, read_case_files
from sparktune.model.finding import Finding

_CASES = Path(__file__).parent / "reports"
_WORDS = ("evidence", "hint")


@pytest.mark.parametrize(("name", "case"), yaml_cases(_CASES))
def test_report(name: str, case: dict[str, Any], tmp_path: Path) -> None:
    for file, text in case["files"].items():
        (tmp_path / file).write_text(text)

    files = read_case_files(tmp_path)
    findings = judge(files.cluster)

    _assert_found(findings, case)
    assert [file for file, _ in files.ignored] == case.get("ignored", [])
    assert case.get("node") in {None, *(node.node for node in files.cluster.nodes)}, name


_SHARED: tuple[tuple[str, tuple[tuple[str, str, str], ...], tuple[str, ...]], ...] = (
    (
        "01-gb10-five-frequency-classes",
        (("cores-mixed", "performance 5-9,15-19, efficiency 0-4,10-14", "by type"),),
        ("not-hybrid",),
    ),
    (
        "03-seed-profile-but-container-has-no-cpuset",
        (("container-on-slow-cores", "CPUAffinity=0-4 10-14", "cpuset"),),
        (),
    ),
    (
        "05-busy-pollers-idle-cluster",
        (("busy-poller", "thread 2266022", "taskset -cp"), ("spinning-under-load", "VLLM::Worker", "do not move them")),
        (),
    ),
    ("06-meminfo-says-22GiB-driver-says-no-memory", (("driver-no-memory", "22.0 GiB", ""),), ("memory-low",)),
    (
        "07-kernel-7-cma-regression",
        (("cma-exceeds-total", "7.0.0-1019-nvidia", "kho=off"), ("log-no-memory", "CmaFree", "no limit")),
        ("memlock-small",),
    ),
    ("10-low-power-state-invalidates-benchmark", (("gpu-low-power", "96.0 %", "off the mains"),), ("gpu-throttled",)),
    (
        "11-gid-table-drifted-index3-empty",
        (
            ("gid-index-empty", "192.168.100.10 is at index 4", "unset"),
            ("gid-index-empty", "192.168.100.11 is at index 4", "never store it"),
            ("log-gid-empty", "rocep1s0f0", "cables are fine"),
        ),
        ("infiniband-missing", "memlock-small"),
    ),
    (
        "15-hca-list-contains-unaddressed-twin",
        (
            ("hca-without-gid", "roceP2p1s0f0", "NCCL_IB_HCA=rocep1s0f0, or give enP2p1s0f0np0 an address"),
            ("gid-index-shared", "NCCL_IB_GID_INDEX=3", "unset"),
            ("control-on-wifi", "NCCL_SOCKET_IFNAME=enP7s7", ""),
        ),
        ("infiniband-missing",),
    ),
    (
        "17-one-sided-mtu-after-firmware-reboot",
        (
            ("mtu-mismatch", "1500", "ping -M do -s 8972"),
            ("twins-in-one-subnet", "192.168.177.0/24", "subnet of its own"),
            ("address-lost", "/run/NetworkManager", "/etc/netplan (mode 600)"),
            ("log-retry-exceeded", "RETRY_EXC_ERR", "tens of minutes"),
        ),
        (),
    ),
    (
        "18-silent-socket-fallback",
        (
            ("log-socket", "Using network Socket", "decode rate"),
            ("infiniband-missing", "bind mount", "devices: [/dev/infiniband:/dev/infiniband]"),
            ("memlock-small", "vllm", "memlock: -1"),
        ),
        (),
    ),
)


@pytest.mark.parametrize(("name", "found", "not_found"), _SHARED, ids=[name for name, _, _ in _SHARED])
def test_report_of_others(name: str, found: tuple[tuple[str, str, str], ...], not_found: tuple[str, ...]) -> None:
    """Public reports, answered as their own right answers say; what would send a reader the wrong way is not said."""
    files: CaseFiles = read_case_files(shared(f"cases/{name}"))

    findings = judge(files.cluster)

    wanted = [{"rule": rule, "evidence": evidence, "hint": hint} for rule, evidence, hint in found]
    _assert_found(findings, {"found": wanted, "not_found": not_found})
    assert not any("SMT" in finding.evidence + finding.hint for finding in findings)


def _assert_found(findings: tuple[Finding, ...], case: dict[str, Any]) -> None:
    for wanted in case["found"]:
        assert any(_matches(finding, wanted) for finding in findings), (wanted, findings)
    rules = {finding.rule for finding in findings}
    assert rules & set(case.get("not_found", ())) == set()


def _matches(finding: Finding, wanted: dict[str, Any]) -> bool:
    return all(
        value in getattr(finding, field) if field in _WORDS else getattr(finding, field) == value
        for field, value in wanted.items()
    )
