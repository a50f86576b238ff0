"""A variable that is forwarded empty, which is not the same as unset."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, lint_rule
from sparktune.deploy.variable_groups import Group, groups
from sparktune.formats.interpolation import references
from sparktune.model.finding import Severity
from sparktune.model.lint import Fix, LintView
from sparktune.model.setting import Setting

_KNOWN = {
    "NCCL_IB_GID_INDEX": (Severity.ERROR, "NCCL reads it as index 0, a link-local GID that no peer reaches"),
    "VLLM_NVFP4_GEMM_BACKEND": (Severity.ERROR, "the engine ends at start: Invalid value ''"),
    "FLASHINFER_CUDA_ARCH_LIST": (Severity.ERROR, "the start ends: not enough values to unpack (expected 2, got 1)"),
    "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS": (Severity.ERROR, "the start ends: it is read as a number"),
    "CUDA_VISIBLE_DEVICES": (Severity.ERROR, "it hides every GPU"),
    "VLLM_API_KEY": (Severity.INFO, "no key is asked for"),
}
_HARMLESS = frozenset(
    {"VLLM_HOST_IP", "VLLM_LOGGING_PREFIX", "VLLM_DP_MASTER_IP", "VLLM_LOOPBACK_IP"}
)  # empty by default
_FAMILIES = (
    (re.compile(r"NCCL_\w+"), "NCCL takes it as given, and so does not read it from /etc/nccl.conf"),
    (re.compile(r"(?:GLOO|TP)_SOCKET_IFNAME"), "an empty name is no interface"),
    (re.compile(r"VLLM_\w+"), "vLLM reads many as a number, or as one of some words, and then the start ends"),
    (re.compile(r"(?:FLASHINFER|TORCH|TRITON)_\w+"), "it counts as given, and its default is gone"),
)


def _judge(view: LintView) -> Iterator[Found]:
    for group in groups(view):
        for name, setting in group.variables.items():
            said = _consequence(name)
            if setting.value != "" or said is None or not _is_so(group, setting, name, view):
                continue
            severity, words = said
            yield at(
                setting,
                severity,
                f"{group.name} gets {name} as an empty text{_how(group, setting, name)}: {words}",
                _hint(group, name),
                fix=_fix(group, setting, name),
            )


def _is_so(group: Group, setting: Setting, name: str, view: LintView) -> bool:
    """Whether the process gets it empty: the files say what fills it in, and no script takes it away again."""
    told = any(one.format == "env" for one in view.documents)
    if not told and _asks_caller(_written(group, setting, name)):
        return False
    script = (
        one.text or "" for one in group.document.entries if one.name.partition("[")[0] in {"command", "entrypoint"}
    )
    return not any(re.search(rf"\bunset\b[^;&|\n]*\b{re.escape(name)}\b", one) for one in script)


def _asks_caller(text: str) -> bool:
    """Whether a variable without a default is in it, so that only who calls compose can tell."""
    return any(not one.how or _asks_caller(one.other) for one in references(text))


def _consequence(name: str) -> tuple[Severity, str] | None:
    if name in _KNOWN or name in _HARMLESS:
        return _KNOWN.get(name)
    return next(((Severity.WARNING, words) for pattern, words in _FAMILIES if pattern.fullmatch(name)), None)


def _written(group: Group, setting: Setting, name: str) -> str:
    found = (one for one in group.document.entries if one.kind == "env" and one.name == name)
    return next((one.text or "" for one in found if one.line == setting.origin.line), "")


def _how(group: Group, setting: Setting, name: str) -> str:
    written = _written(group, setting, name)
    return f" ({written} with nothing to fill it in)" if references(written) else ""


def _hint(group: Group, name: str) -> str:
    if group.document.format == "compose":
        return f"take the line out, or write {name}: without a value, which forwards it only where it is set"
    return f"take the line out: what is not there keeps its default ({name} unset)"


def _fix(group: Group, setting: Setting, name: str) -> Fix | None:
    """Take out what is empty for good; a text that somebody may still fill in stays."""
    if setting.origin.place != group.document.name or references(_written(group, setting, name)):
        return None
    return Fix(file=group.document.name, part=setting.part, kind="env", name=name, value=None)


RULE = lint_rule(
    "empty-variable",
    title="a variable that is empty instead of unset",
    why="An empty text is a value: programs parse it, and most of them end, or take it as 0.",
    source="https://github.com/bjk110/spark_vllm_docker/issues/14; "
    "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/pull/125; NCCL user guide, /etc/nccl.conf",
    judge=_judge,
)
