"""What a diagnosis tells the shell."""

import pytest

from sparktune.errors import ExitCode
from sparktune.flows.doctor import Diagnosis
from sparktune.model.finding import Finding, Severity
from sparktune.model.node import ClusterFacts, NodeFacts

_WELL, _LOST = NodeFacts(node="a"), NodeFacts(node="b", failure="no route")


@pytest.mark.parametrize(
    ("nodes", "severities", "code"),
    [
        ((_WELL,), (), ExitCode.DONE),
        ((_WELL,), (Severity.INFO,), ExitCode.DONE),
        ((_WELL,), (Severity.INFO, Severity.WARNING), ExitCode.DIFFERENCES),
        ((_WELL, _LOST), (Severity.ERROR,), ExitCode.DIFFERENCES),
        ((_WELL, _LOST), (), ExitCode.FAILED),
        ((_LOST,), (), ExitCode.FAILED),
    ],
)
def test_exit_code(nodes: tuple[NodeFacts, ...], severities: tuple[Severity, ...], code: ExitCode) -> None:
    findings = tuple(Finding(rule="r", severity=severity, evidence="e", hint="h") for severity in severities)

    assert Diagnosis(cluster=ClusterFacts(nodes=nodes), findings=findings).exit_code is code
