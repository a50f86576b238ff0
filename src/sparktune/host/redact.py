"""Take secrets out of command lines and environments before they are kept or shown.

What is kept of an environment is a list of names that are known to be no secret; a command line is kept whole but for
values that a name, a known token form or a URL marks as secret.
"""

__all__ = ["HIDDEN", "KEPT_PREFIXES", "kept_environment", "redact_argv", "redact_text"]

import re
from collections.abc import Iterable, Mapping

HIDDEN = "***"

# Beginnings of variables that say how engines talk to each other and place their threads; none of them holds a secret.
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

_SECRET_WORD = re.compile(
    r"(?:api[-_]?key|access[-_]?key|private[-_]?key|auth|bearer|cookie|credential|passphrase|passw(?:or)?d|secret)s?"
    r"|(?:^|[-_])(?:token|key|pass|pwd)$",
    re.IGNORECASE,
)
_KNOWN_TOKEN = re.compile(r"\b(?:hf_|sk-|ghp_|gho_|github_pat_|glpat-|nvapi-|xox[abp]-|AKIA)[A-Za-z0-9_\-]{8,}")
_BEARER = re.compile(r"\b(bearer|basic)\s+[^\s'\"]+", re.IGNORECASE)
_URL_LOGIN = re.compile(r"(?<=://)[^/\s@]+@")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)(?P<mark>[=:]\s?)(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"]+)")
_FLAG_VALUE = re.compile(
    r"(?P<flag>(?<!\S)--?[A-Za-z][A-Za-z0-9_.\-]*)(?P<gap>\s+)(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"]+)"
)


def kept_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are known to hold no secret, sorted by name."""
    return {name: redact_text(value) for name, value in sorted(environment.items()) if name.startswith(KEPT_PREFIXES)}


def redact_argv(argv: Iterable[str]) -> tuple[str, ...]:
    """Return a command line with the values of secret flags hidden, and all that looks like a token or a login."""
    words: list[str] = []
    hide_next = False
    for word in argv:
        if hide_next and not word.startswith("--"):
            words.append(HIDDEN)
            hide_next = False
            continue
        hide_next = word.startswith("-") and "=" not in word and not word.strip().count(" ") and _is_secret(word)
        words.append(redact_text(word))
    return tuple(words)


def redact_text(text: str) -> str:
    """Return a text with tokens, logins in URLs and the values of secret names hidden."""
    text = _KNOWN_TOKEN.sub(HIDDEN, text)
    text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    text = _URL_LOGIN.sub(f"{HIDDEN}@", text)
    text = _ASSIGNED.sub(_hide_assigned, text)
    return _FLAG_VALUE.sub(_hide_flag, text)


def _hide_assigned(found: re.Match[str]) -> str:
    if not _is_secret(found["name"]):
        return found[0]
    return f"{found['name']}{found['mark']}{HIDDEN}"


def _hide_flag(found: re.Match[str]) -> str:
    if found["value"].startswith("-") or not _is_secret(found["flag"]):
        return found[0]
    return f"{found['flag']}{found['gap']}{HIDDEN}"


def _is_secret(name: str) -> bool:
    return _SECRET_WORD.search(name) is not None
