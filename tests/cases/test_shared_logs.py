"""Captured logs against the answers that are written down for them. Skipped where they are not beside this clone."""

import pytest
from tests.support.log_texts import scan_text
from tests.support.shared import shared

from sparktune.logs.judge import log_report
from sparktune.model.finding import Severity
from sparktune.model.log import LogReport, LogView

_BOOT = "cases/19-real-vllm-boot-log-2node/boot.log"
_JULY_2026_S = 1783300000.0  # stamps of that log have no year


def _report(*paths: str, reference_s: float | None = None) -> LogReport:
    logs = (scan_text(shared(path).read_text(errors="replace"), path, reference_s=reference_s) for path in paths)
    return log_report(LogView(logs=tuple(logs)))


def _ids(report: LogReport, severity: Severity) -> list[str]:
    return sorted(one.rule for one in report.findings if one.severity is severity)


def test_a_real_boot_is_read() -> None:
    log = _report(_BOOT).view.logs[0]
    facts = {fact.key: fact.value for fact in log.facts}

    assert log.version == "0.21.1rc1.dev339+g1967a5627bc3"
    assert facts["graph_truncated_tokens"] == 8
    assert facts["graph_sizes"] == (1, 2, 4, 8)
    assert facts["graph_full_count"] == 2
    assert facts["weights_gib"] == pytest.approx(79.52)
    assert facts["kv_memory_gib"] == pytest.approx(20.36)
    assert (facts["kv_pool_tokens"], facts["kv_length_tokens"], facts["kv_full_requests"]) == (3076565, 1048576, 2.93)
    assert facts["nccl_version"] == "2.30.4"
    assert facts["ready"] is True
    asked = {one.key: one.value for one in log.asked}
    assert (asked["max_num_seqs"], asked["speculative_config.num_speculative_tokens"]) == (12, 3)
    assert (asked["tensor_parallel_size"], asked["nnodes"], asked["max_model_len"]) == (2, 2, 1048576)


def test_a_real_boot_is_judged() -> None:
    report = _report(_BOOT, reference_s=_JULY_2026_S)
    said = {one.rule: one.evidence for one in report.findings}

    assert report.first is None
    assert _ids(report, Severity.ERROR) == ["graph-coverage"]
    assert _ids(report, Severity.WARNING) == [
        "compiled-after-ready",
        "graph-memory-not-counted",
        "variable-without-effect",
    ]
    assert _ids(report, Severity.INFO) == ["idle-interval", "kv-full-requests", "open-listener"]
    assert "at most 2 of 12 requests" in said["graph-coverage"]
    assert "12 x 4 = 48" in said["graph-coverage"]
    assert "6 min 44 s after ready" in said["compiled-after-ready"]
    assert "VLLM_SKIP_INIT_MEMORY_CHECK, VLLM_TRITON_MLA_SPARSE" in said["variable-without-effect"]


def test_two_pools_are_compared_and_no_cause_is_named() -> None:
    folder = "cases/25-kv-pool-two-log-formats"
    report = _report(f"{folder}/boot_A.log", f"{folder}/boot_B.log", f"{folder}/launcher_banner.txt")
    (pools,) = (one for one in report.findings if one.rule == "kv-pools")

    assert "2,050,560 tokens, 5.21x 393,216" in pools.evidence
    assert "1,530,000 tokens, 3.06x 500,000" in pools.evidence
    assert "none of them is shown to be the cause" in pools.hint
    assert report.view.logs[2].facts == ()


def test_a_fallback_to_sockets_ends_the_measurement() -> None:
    (found,) = _report("cases/18-silent-socket-fallback/nccl.log").findings
    assert (found.rule, found.severity, found.line) == ("socket-transport", Severity.ERROR, 3)


def test_what_was_resolved_away_is_not_live() -> None:
    folder = "cases/21-flag-accepted-then-resolved-away"
    (found,) = _report(f"{folder}/boot.log").findings
    assert found.evidence.startswith("compilation_config.pass_config.fuse_gemm_comms: asked for true")
    (state,) = _report(f"{folder}/boot_async.log").findings
    assert "--no-async-scheduling" in state.hint


def test_counters_say_which_depth_is_a_candidate() -> None:
    (found,) = _report("cases/30-spec-metrics-with-created-gauges/metrics.txt").findings

    assert found.rule == "draft-depth"
    for words in ("3 to 6", "105 drafts", "149 of 630", "23.65 %", "token-weighted", "2.419", "0.8000, 0.6000, 0.0095"):
        assert words in found.evidence
    assert "depths of 2 and 3 against 6" in found.hint


def test_too_little_memory_is_reclaimed_before_anything_is_lowered() -> None:
    folder = "cases/09-root-error-buried-under-nccl-noise"
    report = _report(f"{folder}/head_rank0.log", f"{folder}/other_ranks.log")
    (found,) = report.findings

    assert "the highest share that starts now is 0.90" in found.evidence
    assert found.hint.startswith("Reclaim first")


def test_a_kernel_without_memory_is_no_transport() -> None:
    assert _report("cases/07-kernel-7-cma-regression/nccl.log").findings == ()
