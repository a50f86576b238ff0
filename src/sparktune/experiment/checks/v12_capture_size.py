"""V12: batches larger than what the CUDA graphs were captured for run without them.

Looks at: streams x (1 + speculative tokens) against ``max_cudagraph_capture_size``, both settings of the arm.
Warns when: it is larger.
Invalid when: never: slow is not wrong.
Unknown when: the capture size is not told.
Source: vLLM captures graphs up to that number of tokens per step; a step has 1 + k tokens of each stream.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import Finding, concurrency_of, make_table_check, setting_of, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext

_CAPTURE = ("max_cudagraph_capture_size", "cudagraph_capture_size", "GRAPH_CAP")
_SPECULATIVE = ("num_speculative_tokens", "SPEC_TOKENS", "spec")
_HINT = "raise max_cudagraph_capture_size to at least streams x (1 + num_speculative_tokens)"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    findings = []
    for arm in table.measured_arms:
        size, drafted = setting_of(table, arm, *_CAPTURE), setting_of(table, arm, *_SPECULATIVE) or 0
        if size is None:
            continue
        most = max(concurrency_of(row) for row in table.rows if row.arm == arm)
        needed = most * (1 + drafted)
        where = f"in arm {arm}" if arm else "here"
        words = f"{most} streams make steps of {needed:,.0f} tokens {where}, graphs are captured up to {size:,.0f}"
        status = Status.WARN if needed > size else Status.OK
        findings.append(Finding(status=status, evidence=words, hint=_HINT, weight=needed / size if size else 0))
    return findings or [unknown("it needs max_cudagraph_capture_size (and num_speculative_tokens) of the arms")]


TABLE_CHECK = make_table_check("V12", "steps within captured graphs", _judge, source="vLLM's CUDA graphs")
