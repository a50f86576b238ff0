"""Nodes of one service whose logs tell different things of what has to be the same."""

__all__ = ["RULE"]

from collections.abc import Iterator
from typing import Final

from sparktune.logs.rules._shared import at, log_rule, text_of
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView, ReadLog

_SAME: Final = {
    "nccl_version": ("NCCL", Severity.ERROR, "use one image, by its digest, on all nodes"),
    "transport": ("transport", Severity.ERROR, "look at the node that does without RDMA: sparktune doctor"),
    "transport_gid": ("GID index", Severity.WARNING, "let NCCL choose, or look which index each node needs"),
    "graph_full_count": ("FULL graphs", Severity.WARNING, "give all nodes the same settings and variables"),
    "graph_piecewise_count": ("PIECEWISE graphs", Severity.WARNING, "give all nodes the same settings and variables"),
}


def _judge(view: LogView) -> Iterator[Finding]:
    logs = [log for log in view.logs if log.node]
    versions = {log.node: log.version for log in logs if log.version}
    if len(set(versions.values())) > 1:
        yield _found(logs[0], "version", versions, Severity.ERROR, _SAME["nccl_version"][2])
    for key, (name, severity, hint) in _SAME.items():
        values = _values(logs, key)
        if len(set(values.values())) > 1:
            yield _found(logs[0], name, values, severity, hint)


def _values(logs: list[ReadLog], key: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for log in logs:
        fact = log.fact(key)
        if fact is not None and fact.value is not None:
            found[log.node] = text_of(fact.value)
    return found


def _found(log: ReadLog, name: str, values: dict[str, str], severity: Severity, hint: str) -> Finding:
    told = ", ".join(f"{node} {value}" for node, value in values.items())
    one = at(log, None, severity, f"{name}: {told}", hint)
    return Finding(rule="", severity=severity, evidence=one.evidence, hint=one.hint)


RULE = log_rule(
    "nodes-differ",
    title="Nodes tell different things of what has to be the same",
    why="Ranks that are not alike fail late, hang, or run at the pace of the worst.",
    source="NCCL, user guide; vLLM, parallelism and scaling",
    judge=_judge,
)
