"""Nodes that talk over sockets where they should over RDMA."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView, ReadLog


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        slow = [fact for fact in log.all_of("transport") if fact.value == "sockets"]
        if slow:
            devices = log.fact("transport_devices")
            over = f" over {devices.value}" if devices is not None else ""
            yield at(
                log,
                slow[0].line,
                Severity.ERROR,
                f"NCCL uses sockets{over}, not RDMA{_no_device(log)}: every number of several nodes after this line "
                "is of another transport",
                "stop measuring. In the container: is /dev/infiniband a device (devices:, not a bind mount), is "
                "memlock unlimited (ulimits: memlock: -1; cap_add IPC_LOCK for users), does NCCL_IB_HCA name devices "
                "that are there, is NCCL_IB_DISABLE off? sparktune doctor and lint look at each",
            )
        yield from _rpc(log)


def _no_device(log: ReadLog) -> str:
    seen = any(one.signature is not None and one.signature.id == "nccl-no-device" for one in log.events)
    return ", as it found no RDMA device" if seen else ""


def _rpc(log: ReadLog) -> Iterator[Finding]:
    client, offered = log.fact("rpc_client"), log.fact("transport_offered")
    if client is None or offered is None or log.fact("transport") is not None:
        return
    yield at(
        log,
        client.line,
        Severity.WARNING,
        f"a client came, and nothing says that RDMA was activated; offered is {offered.value}: the link is TCP",
        "both ends need a build with RDMA and an active device (GGML_RDMA_DEV, GGML_RDMA_GID), and GGML_RPC_NO_RDMA "
        "unset; 'RDMA activated' in the log is the proof",
    )


RULE = log_rule(
    "socket-transport",
    title="Nodes talk over sockets",
    why="It falls back without an error. Decoding of a small model hides it, time to first token does not: 52 and "
    "111 ms in one report.",
    source="https://github.com/NVIDIA/nccl/issues/451; https://github.com/vllm-project/vllm/pull/42075; "
    "llama.cpp b11434, transport.cpp",
    judge=_judge,
)
