"""What nodes told, as a Prometheus is told it: what is unknown has no value, and a reason."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.node_cases import cluster_of
from tests.support.yaml_cases import yaml_cases

from sparktune.host.findings import judge
from sparktune.report.prometheus.seen import Seen
from sparktune.report.prometheus.text import export_text


@pytest.mark.parametrize(("_", "case"), yaml_cases(Path(__file__).parent / "prometheus"))
def test_what_nodes_told_is_exported(_: str, case: dict[str, Any]) -> None:
    spec = {key: value for key, value in case.items() if key not in {"lines", "absent"}}
    cluster = cluster_of(spec)

    lines = export_text(Seen(version="1", cluster=cluster, findings=judge(cluster))).splitlines()

    assert [line for line in case["lines"] if line not in lines] == [], "\n".join(lines)
    assert [line for line in lines for beginning in case.get("absent", ()) if line.startswith(beginning)] == []
