"""Messages of captured logs: what each file has, and nothing else that would be taken for a failure.

Skipped where the captured data is not beside this clone.
"""

import pytest
from tests.support.log_texts import scan_text
from tests.support.shared import shared

from sparktune.model.log import LogRole, ReadLog

_FILES = {
    "cases/06-meminfo-says-22GiB-driver-says-no-memory/kernel.log": {"driver-no-memory": 3},
    "cases/07-kernel-7-cma-regression/nccl.log": {"nccl-memory-not-registered": 1, "nccl-call-failed": 1},
    "cases/09-root-error-buried-under-nccl-noise/head_rank0.log": {"free-memory-short": 1},
    "cases/09-root-error-buried-under-nccl-noise/other_ranks.log": {"peer-gone": 18, "collective-timeout": 18},
    "cases/11-gid-table-drifted-index3-empty/nccl.log": {"nccl-gid-empty": 1, "nccl-call-failed": 1},
    "cases/14-env-placeholders-and-one-concrete-ifname/boot.log": {"gloo-no-interface": 1},
    "cases/17-one-sided-mtu-after-firmware-reboot/nccl.log": {"rdma-retry-exceeded": 1},
    "cases/18-silent-socket-fallback/nccl.log": {"nccl-no-device": 1},
    "cases/22-recipe-jit-cache-root-owned/worker.log": {"jit-cache-denied": 1},
    "cases/34-restart-order-and-exit-code-3/head.log": {"rpc-timeout": 1},
    "cases/39-exit-137-without-oom-evidence/docker_state.json": {"killed-137": 1},
    "cases/39-exit-137-without-oom-evidence/journal_units.txt": {"userspace-killer": 1},
}
_HEALTHY = (
    "cases/19-real-vllm-boot-log-2node/boot.log",
    "cases/25-kv-pool-two-log-formats/boot_A.log",
    "cases/25-kv-pool-two-log-formats/boot_B.log",
    "samples/engines/vllm-boot-0.1x-0.2x.log",
    "samples/engines/vllm-boot-0.28+.log",
    "samples/engines/vllm-stats-lines.log",
    "samples/engines/sglang-lines.log",
    "samples/engines/llamacpp-lines.log",
    "samples/llamacpp/server_log.txt",
)


def _read(relative: str) -> ReadLog:
    return scan_text(shared(relative).read_text(errors="replace"), relative)


@pytest.mark.parametrize("relative", _FILES)
def test_a_captured_log_has_these_messages(relative: str) -> None:
    events = _read(relative).events
    assert {event.signature.id: event.count for event in events if event.signature} == _FILES[relative]


@pytest.mark.parametrize("relative", _HEALTHY)
def test_a_healthy_log_has_no_failure(relative: str) -> None:
    failures = {LogRole.ROOT, LogRole.SECONDARY}
    known = [event for event in _read(relative).events if event.signature]
    assert [event.first.text for event in known if event.signature and event.signature.role in failures] == []


def test_what_is_short_at_the_start_is_told_with_the_share_that_starts_now() -> None:
    """Reclaiming comes first: the share that would start now is a fact, not the advice."""
    (event,) = _read("cases/09-root-error-buried-under-nccl-noise/head_rank0.log").events
    assert "1.21 GiB short" in event.told
    assert "the highest share that starts is 0.90" in event.told
    assert event.signature is not None
    assert event.signature.fix.index("reclaim") < event.signature.fix.index("setting has to change")


def test_a_kernel_that_gives_no_memory_does_not_send_people_to_a_limit_that_is_unlimited() -> None:
    first = _read("cases/07-kernel-7-cma-regression/nccl.log").events[0]
    assert first.signature is not None
    assert "If ulimit -l is unlimited, the limit is not it: look at sparktune doctor" in first.signature.fix
