"""Which variables of a process are kept: those that say how engines talk and place their threads. None is a secret."""

__all__ = ["KEPT_PREFIXES", "kept_environment"]

from collections.abc import Mapping

from sparktune.redact import redact_text

KEPT_PREFIXES = (
    "CUDA_",
    "GGML_RDMA_",
    "GGML_RPC_",
    "GLOO_SOCKET_IFNAME",
    "HF_HUB_OFFLINE",
    "MASTER_ADDR",
    "MC_TE_",
    "NCCL_",
    "OMP_",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "RAY_memory_monitor_refresh_ms",
    "TP_SOCKET_IFNAME",
    "UCX_",
    "VLLM_HOST_IP",
    "VLLM_SHM_BROADCAST_BUSY_LOOP_S",
)


def kept_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are known to hold no secret, sorted by name."""
    return {name: redact_text(value) for name, value in sorted(environment.items()) if name.startswith(KEPT_PREFIXES)}
