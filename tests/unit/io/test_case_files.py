"""Which files of a report are understood, of which node they are, and what is said of the others."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.case_report import case_report, only_node

from sparktune.errors import UsageError
from sparktune.host.facts import all_sources
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.findings import judge
from sparktune.io import case_files
from sparktune.io.case_files import CaseFiles, read_case_files
from sparktune.model.node import NodeFacts

__all__ = ["case_report"]

_MEMINFO = "MemTotal: 1000 kB\nMemAvailable: 500 kB\n"


def test_names_of_nodes_come_from_files_and_folders(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    files = report({"node0_meminfo.txt": _MEMINFO, "worker/meminfo.txt": _MEMINFO, "dmesg_head.txt": "x\n"})

    assert [node.node for node in files.cluster.nodes] == ["head", "node0", "worker"]
    assert [_available(node) for node in files.cluster.nodes] == [None, 512_000, 512_000]


def _available(node: NodeFacts) -> int | None:
    memory = node.get(MemoryFacts)
    assert memory is not None
    return memory.available.value


def test_what_names_no_node_is_true_of_all(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    files = report({"node0_ip_addr.txt": "e UP 10.0.0.1/24\n", "node1_ip_addr.txt": "e UP\n", "meminfo.txt": _MEMINFO})

    assert [_available(node) for node in files.cluster.nodes] == [512_000, 512_000]


def test_a_single_node_has_the_name_that_uname_says_else_the_folder_s(tmp_path: Path) -> None:
    (tmp_path / "meminfo.txt").write_text(_MEMINFO)
    assert only_node(read_case_files(tmp_path)).node == tmp_path.name

    (tmp_path / "uname.txt").write_text("Linux spark-7 6.17.0 #1 SMP aarch64 GNU/Linux\n")
    assert only_node(read_case_files(tmp_path)).node == "spark-7"


def test_unknown_files_are_named_and_the_rest_is_used(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    files = report({"meminfo.txt": _MEMINFO, "holiday.jpg": "x", "notes.md": "x"})

    assert files.used == ("meminfo.txt",)
    assert files.ignored == (("holiday.jpg", "no known name"), ("notes.md", "no known name"))


def test_a_broken_file_is_named_and_the_rest_is_used(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    files = report({"meminfo.txt": _MEMINFO, "compose.yaml": "services: [unclosed"})

    assert files.used == ("meminfo.txt",)
    assert files.ignored[0][0] == "compose.yaml"
    assert files.ignored[0][1].startswith("not readable as YAML")


def test_a_file_that_is_too_large_is_named(
    report: Callable[[dict[str, str]], CaseFiles], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case_files, "_MOST_BYTES", 100)

    files = report({"meminfo.txt": _MEMINFO, "dmesg.txt": "x" * 101})

    assert files.ignored == (("dmesg.txt", "larger than 100 bytes"),)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"meminfo.txt": _MEMINFO, "uname.txt": "Darwin 1 2\n", "dmesg.txt": "x"}.items():
        (tmp_path / name).write_text(text)
    opened = Path.open

    def refuse(path: Path, mode: str) -> IO[Any]:
        if path.name == "dmesg.txt":
            raise PermissionError(13, "Permission denied")
        return opened(path, mode)

    monkeypatch.setattr(Path, "open", refuse)

    files = read_case_files(tmp_path)

    assert files.ignored == (("dmesg.txt", "Permission denied"),)
    assert only_node(files).node == tmp_path.name


@pytest.mark.parametrize("names", [[], ["notes.md"]])
def test_a_folder_that_says_nothing_is_an_error(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("x")

    with pytest.raises(UsageError, match="no file with a name that says what it is"):
        read_case_files(tmp_path)


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_case_files(tmp_path / "nowhere")


_NAMES = (
    "cpuinfo.txt",
    "sysfs_cpu.csv",
    "meminfo.txt",
    "uname.txt",
    "kernel.log",
    "gpu_samples.csv",
    "throttle.txt",
    "ulimit.txt",
    "proc_status.txt",
    "top_H_1.txt",
    "docker_inspect.json",
    "node0_ip_addr.txt",
    "node1_ip_link.txt",
    "ibdev2netdev.txt",
    "ib_state.txt",
    "sysfs_gids.txt",
    "netplan_dir.txt",
    "nccl.log",
    "compose.yaml",
    "env.x",
)
_PIECES = st.sampled_from(
    (
        "# node0\n",
        "# /sys/class/infiniband/rocep1s0f0/ports/1/gids\n",
        "3 0000:0000:0000:0000:0000:ffff:0a00:0501 RoCE v2\n",
        "enp1s0f0np0 UP 10.0.0.1/24\n",
        "e UP 10.0.0.1/99 1.2.3.4/x\n",
        "4: e: <UP> mtu 9000 q\n",
        "rocep1s0f0 port 1 ==> enp1s0f0np0 (Up)\n",
        "# /proc/1/status\n",
        "Cpus_allowed_list: 0-4\n",
        "Linux a 6.1 x aarch64\n",
        "cpu,cpuinfo_max_freq_khz\n0,9\n",
        "clocks.sm [MHz], utilization.gpu [%]\n1 MHz, 2 %\n",
        "services: {a: {image: x}}\n",
        '[{"Name": "a"}]\n',
        "NCCL WARN Call to ibv_modify_qp failed with 61\n",
        "NCCL_IB_HCA=roce\n",
        '"',
        ",",
        "\0",
    )
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.dictionaries(
        st.sampled_from(_NAMES), st.lists(_PIECES | st.text(max_size=20), max_size=6).map("".join), min_size=1
    )
)
def test_files_of_any_content_are_judged(tmp_path_factory: pytest.TempPathFactory, files: dict[str, str]) -> None:
    """What people paste is cut, mixed up and mistyped: the doctor answers, or names the file."""
    folder = tmp_path_factory.mktemp("report")
    for name, text in files.items():
        (folder / name).write_text(text)

    read = read_case_files(folder)

    judge(read.cluster)
    assert set(read.used) | {name for name, _ in read.ignored} == set(files)
    kinds = {source.kind for source in all_sources()}
    assert all(kinds <= set(node.facts) for node in read.cluster.nodes)


def test_every_name_of_the_reference_is_known(report: Callable[[dict[str, str]], CaseFiles]) -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "report-files.md"
    rows = [line.split("|")[1] for line in page.read_text().splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]

    files = report(dict.fromkeys(names, "") | {"compose.yaml": "services: {a: {image: x}}"})

    assert len(names) > 30
    assert [name for name, _ in files.ignored] == ["docker-compose.yml"]
