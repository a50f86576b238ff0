"""``sparktune render`` as a person runs it: on a practice cluster, on files of a report, and in a shell."""

import subprocess
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.shared import shared


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a practice cluster."""
    folder = tmp_path_factory.mktemp("practice") / "lab"
    assert run_sparktune("lab", "init", str(folder)).code == 0
    return folder


def test_bash_takes_the_options_as_they_are(lab: Path) -> None:
    text = run_sparktune("render", "--node", f"{lab}/spark1").out

    script = 'eval "$1"; printf "%s\\n" "${docker_args[@]}"'
    words = subprocess.run(
        ["/bin/bash", "-c", script, "bash", text], capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()

    assert words[:6] == ["--network", "host", "--ulimit", "memlock=-1:-1", "--device", "/dev/infiniband"]
    assert "NCCL_SOCKET_IFNAME=enp1s0f1np1" in words
    assert not any(word.startswith("NCCL_IB_GID_INDEX") for word in words)


def test_a_tree_as_json(lab: Path) -> None:
    done = run_sparktune("render", "--root", str(lab / "spark2"), "--json", "--gid", "resolve")

    assert done.code == 0
    assert done.json["schema"] == 1
    assert done.json["node"] == "spark2"
    assert done.json["environment"]["NCCL_IB_HCA"]["value"] == "rocep1s0f1,roceP2p1s0f1"
    assert done.json["environment"]["NCCL_IB_GID_INDEX"]["why"]


def test_one_node_at_a_time(lab: Path) -> None:
    done = run_sparktune("render", "--node", f"{lab}/spark1,{lab}/spark2")

    assert (done.code, done.out) == (2, "")
    assert "hint: name one: --node" in done.err


def test_case_14_takes_the_interface_that_has_the_address() -> None:
    folder = shared("cases/14-env-placeholders-and-one-concrete-ifname")

    lines = run_sparktune("render", "--from", str(folder), "--as", "env").out.splitlines()

    assert "GLOO_SOCKET_IFNAME=enp1s0f0np0" in lines
    assert "NCCL_IB_HCA=rocep1s0f0" in lines


def test_case_11_resolves_the_index_of_today() -> None:
    folder = str(shared("cases/11-gid-table-drifted-index3-empty"))

    several = run_sparktune("render", "--from", folder)
    done = run_sparktune("render", "--from", folder, "--node", "node0", "--gid", "resolve", "--as", "env")

    assert (several.code, several.out) == (2, "")
    assert "NCCL_IB_GID_INDEX=4" in done.out.splitlines()
    assert "# NCCL_SOCKET_IFNAME: unknown: the network devices of this node could not be read" in done.out


def test_case_15_leaves_the_twin_without_an_address_out() -> None:
    folder = str(shared("cases/15-hca-list-contains-unaddressed-twin"))

    done = run_sparktune("render", "--from", folder)

    assert "-e NCCL_IB_HCA=rocep1s0f0 " in done.out
    assert "# roceP2p1s0f0 is left out: it has no IPv4 address" in done.out


def test_a_node_that_does_not_answer(tmp_path: Path) -> None:
    done = run_sparktune("render", "--node", f"{tmp_path}/none/")

    assert done.code in {1, 2}
    assert done.out == ""
    assert "hint" in done.err
