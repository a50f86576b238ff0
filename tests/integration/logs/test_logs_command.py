"""The whole command on files: what failed first, whatever else the files have in them, and its exit code."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.shared import shared

_SHORT = (
    "ValueError: Free memory on device cuda:0 (100.00/120.00 GiB) on startup is less than desired GPU memory "
    "utilization (0.9, 108.00 GiB).\n"
)
_OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


def _log(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def _case(name: str) -> str:
    return str(shared(f"cases/{name}/expected.md").parent)


def test_the_error_under_36_lines_of_noise() -> None:
    done = run_sparktune("logs", _case("09-root-error-buried-under-nccl-noise"))
    assert done.code == 3
    assert done.out.startswith("head_rank0.log failed first: The engine wants more memory at its start than is")
    words = " ".join(done.out.split())
    for text in (
        "1.21 GiB short",
        "0.90",
        "36 lines of NCCL follow from it",
        "112.15 GiB at first, 109.53 GiB at last",
    ):
        assert text in words


def test_noise_alone_says_that_the_root_is_elsewhere() -> None:
    folder = _case("09-root-error-buried-under-nccl-noise")
    done = run_sparktune("logs", f"{folder}/other_ranks.log")
    assert done.code == 3
    assert "the first cause is not in these logs" in " ".join(done.out.split())
    assert "rank 0's" in done.out


def test_a_boot_that_went_well_has_facts_and_no_failure() -> None:
    done = run_sparktune("logs", "--json", _case("19-real-vllm-boot-log-2node"))
    (log,) = done.json["logs"]
    facts = {fact["key"]: fact["value"] for fact in log["facts"]}
    assert done.json["first"] is None
    assert log["version"] == "0.21.1rc1.dev339+g1967a5627bc3"
    assert facts["kv_pool_tokens"] == 3_076_565
    assert facts["nccl_version"] == "2.30.4"
    assert done.code == 3
    found = {finding["rule"]: finding["evidence"] for finding in done.json["findings"]}
    assert "at most 2 of 12 requests" in found["graph-coverage"]
    assert {"compiled-after-ready", "graph-memory-not-counted", "variable-without-effect"} <= set(found)


def test_the_head_that_ended_is_told_beside_its_log() -> None:
    done = run_sparktune("logs", _case("34-restart-order-and-exit-code-3"))
    words = " ".join(done.out.split())
    assert "the head has ended and workers are still up" in words
    assert "remove dsv4-rank0, so that its port for the other ranks is free; restart dsv4-rank1; then start" in words


@pytest.mark.parametrize(
    ("case", "key", "value"),
    [("18-silent-socket-fallback", "transport", "sockets"), ("25-kv-pool-two-log-formats", "kv_pool_tokens", 2050560)],
)
def test_what_a_folder_of_logs_tells(case: str, key: str, value: object) -> None:
    done = run_sparktune("logs", "--json", _case(case))
    assert value in [fact["value"] for log in done.json["logs"] for fact in log["facts"] if fact["key"] == key]


def test_memory_that_cannot_be_registered_is_not_blamed_on_the_limit() -> None:
    done = run_sparktune("logs", _case("07-kernel-7-cma-regression"))
    assert done.code == 3
    assert "RDMA could not register memory" in done.out
    assert "unlimited, the limit is not it" in " ".join(done.out.split())


def test_what_was_asked_for_and_what_runs_are_both_told() -> None:
    done = run_sparktune("logs", "--json", f"{_case('21-flag-accepted-then-resolved-away')}/boot.log")
    (log,) = done.json["logs"]
    key = "compilation_config.pass_config.fuse_gemm_comms"
    assert (log["asked"][key], log["resolved"][key]) == (True, False)
    assert [finding["rule"] for finding in done.json["findings"]] == ["asked-not-live"]


@pytest.mark.parametrize(("ahead", "first"), [("spark2=40s", "spark2"), ("spark2=0", "spark1")])
def test_clocks_that_are_told_decide_the_order(tmp_path: Path, ahead: str, first: str) -> None:
    one = _log(tmp_path, "one.log", f"2026-11-14 12:00:10 {_OOM}")
    two = _log(tmp_path, "two.log", f"2026-11-14 12:00:30 {_SHORT}")
    done = run_sparktune("logs", f"spark1={one}", f"spark2={two}", "--ahead", ahead)
    assert done.out.startswith(f"{first} failed first")
    unsure = run_sparktune("logs", f"spark1={one}", f"spark2={two}")
    assert "probably failed first" in unsure.out
    assert "--ahead" in unsure.out


def test_gzip_rotation_colours_and_binary_bytes(tmp_path: Path) -> None:
    packed = tmp_path / "engine.log.1.gz"
    packed.write_bytes(gzip.compress(f"\x1b[31mERROR\x1b[0m {_SHORT}".encode() + b"\x00\xff\xfe\n"))
    done = run_sparktune("logs", "--json", str(packed))
    assert done.json["first"]["id"] == "free-memory-short"
    (tmp_path / "engine.log").write_text("INFO Application startup complete.\n")
    whole = run_sparktune("logs", "--rotated", "--json", str(tmp_path / "engine.log"))
    assert whole.json["first"]["id"] == "free-memory-short"
    shown = run_sparktune("logs", str(packed))
    assert "\x1b" not in shown.out
    assert "\x00" not in shown.out


def test_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sparktune", "logs", "-"], input=_SHORT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "standard input" not in done.stderr
    assert "failed first" in done.stdout


def test_what_nobody_knows_is_shown_with_its_lines(tmp_path: Path) -> None:
    name = _log(tmp_path, "x.log", "INFO all well\nERROR the flux capacitor is not aligned\nINFO bye\n")
    done = run_sparktune("logs", name)
    assert done.code == 3
    assert "unknown, here are the lines around it" in done.out
    for text in ("all well", "flux capacitor", "bye"):
        assert text in done.out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("no-such.log",), "look at the path"),
        ((), "name files"),
        (("--live", "x.log"), "one of them"),
        (("--nodes", "spark1"), "add --live"),
        (("--ahead", "spark2", "x.log"), "--ahead spark2=40s"),
    ],
)
def test_mistakes_have_a_next_step(arguments: tuple[str, ...], hint: str) -> None:
    done = run_sparktune("logs", *arguments)
    assert done.code == 2
    assert hint in done.err
    assert not done.out


def test_a_missing_file_beside_a_good_one_is_said_and_is_no_success(tmp_path: Path) -> None:
    good = _log(tmp_path, "good.log", "INFO Application startup complete.\n")
    done = run_sparktune("logs", good, str(tmp_path / "gone.log"))
    assert done.code == 1
    assert "gone.log" in done.err
    assert "no failure" in done.out


def test_a_clock_of_a_node_without_a_log(tmp_path: Path) -> None:
    done = run_sparktune("logs", f"spark1={_log(tmp_path, 'a.log', _OOM)}", "--ahead", "spark9=3s")
    assert done.code == 2
    assert "nodes of the logs: spark1" in done.err
