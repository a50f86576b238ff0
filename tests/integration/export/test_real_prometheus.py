"""Prometheus' own tools have the last word on what is exported, and a real Prometheus scrapes it."""

import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.support.cli import run_sparktune
from tests.support.monitoring import needs_prometheus, serving
from tests.support.ports import free_port

from sparktune.io.lab import write_lab
from sparktune.report.prometheus.dashboard import dashboard_json
from sparktune.report.prometheus.rules import rules_yaml

pytestmark = needs_prometheus

_ALERTS = Path(__file__).parents[2] / "cases" / "prometheus_alerts.yaml"


def promtool(*words: str, text: str = "", folder: Path) -> str:
    """Run it; what it finds fails the calling test."""
    done = subprocess.run(
        [shutil.which("promtool") or "promtool", *words],
        input=text,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The nodes of a practice cluster."""
    first, second = write_lab(tmp_path / "lab")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "data"))
    return f"{first},{second}"


def test_promtool_finds_nothing_in_what_is_exported(lab: str, tmp_path: Path) -> None:
    done = run_sparktune("export", "prometheus", "--nodes", f"{lab},nowhere.invalid")

    assert promtool("check", "metrics", text=done.out, folder=tmp_path) == ""


def test_promtool_takes_the_rules_and_every_alert_fires_when_it_should(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(rules_yaml())
    (tmp_path / "tests.yml").write_text(f"rule_files: [rules.yml]\n{_ALERTS.read_text()}")

    assert "SUCCESS" in promtool("check", "rules", "--lint=all", "--lint-fatal", "rules.yml", folder=tmp_path)
    assert "SUCCESS" in promtool("test", "rules", "tests.yml", folder=tmp_path)


def test_every_alert_has_a_case_in_which_it_fires() -> None:
    text = _ALERTS.read_text()
    named = [line.split("alert: ")[1] for line in rules_yaml().splitlines() if "- alert: " in line]

    assert named
    assert [name for name in named if f"        alertname: {name}\n        exp_alerts:\n          - " not in text] == []


def test_promtool_takes_what_every_panel_asks(tmp_path: Path) -> None:
    panels = [panel for panel in json.loads(dashboard_json())["panels"] if panel["type"] != "row"]
    rules = [{"record": f"panel:{place}", "expr": panel["targets"][0]["expr"]} for place, panel in enumerate(panels, 1)]
    (tmp_path / "panels.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))

    assert f"{len(panels)} rules found" in promtool("check", "rules", "panels.yml", folder=tmp_path)


@contextmanager
def prometheus(folder: Path, target: int) -> Iterator[str]:
    """Run one that scrapes a port every three seconds, with our rules; yield its address.

    A scrape may take as long as that. One that took longer, on a busy machine, would make every series of it stale in
    the middle of what is asked here.
    """
    (folder / "rules.yml").write_text(rules_yaml())
    config = {
        "global": {"scrape_interval": "3s", "scrape_timeout": "3s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yml"],
        "scrape_configs": [{"job_name": "sparktune", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}],
    }
    (folder / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
    address = f"127.0.0.1:{free_port()}"
    words = ["--config.file=prometheus.yml", f"--web.listen-address={address}", "--storage.tsdb.path=data"]
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [shutil.which("prometheus") or "prometheus", *words], cwd=folder, stdout=log, stderr=log
        )
    try:
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def asked(base: str, path: str) -> Any:  # noqa: ANN401 - JSON
    """Return what the server says, None while it says nothing."""
    try:
        with urllib.request.urlopen(f"{base}/api/v1/{path}", timeout=30) as answer:
            return json.load(answer)["data"]
    except OSError:
        return None


def values(base: str, expression: str) -> dict[str, float]:
    """Return the value of an expression by node; "" for a series without one."""
    found = asked(base, f"query?{urlencode({'query': expression})}")
    return {one["metric"].get("node", ""): float(one["value"][1]) for one in found["result"]} if found else {}


def test_a_real_prometheus_scrapes_it_and_raises_the_alerts(lab: str, tmp_path: Path) -> None:
    folder = tmp_path / "prometheus"
    folder.mkdir()
    with (
        serving("--nodes", f"{lab},nowhere.invalid", "--every", "5s") as (exporter, port),
        prometheus(folder, port) as base,
    ):
        alert = 'ALERTS{alertname="SparktuneNodeDown"}'
        while not values(base, alert):
            assert exporter.poll() is None
            time.sleep(0.2)
        up = values(base, "sparktune_node_up")
        headroom = values(base, "sparktune_memory_headroom_bytes")
        pending = values(base, alert)
        groups = asked(base, "rules")["groups"]
        (target,) = asked(base, "targets")["activeTargets"]

    assert up == {"spark1": 1.0, "spark2": 1.0, "nowhere.invalid": 0.0}
    assert set(headroom) == {"spark1", "spark2"}  # what is unknown is absent, there too
    assert (target["health"], target["lastError"]) == ("up", "")
    assert {rule["health"] for group in groups for rule in group["rules"]} == {"ok"}
    assert pending == {"nowhere.invalid": 1.0}


def test_the_scrape_configuration_of_the_guide_is_one(tmp_path: Path) -> None:
    """It is copied by hand, at the worst time of the day."""
    guide = (Path(__file__).parents[3] / "docs/guides/monitoring.md").read_text()
    (block,) = [part for part in guide.split("```") if part.startswith("yaml\n")]
    (tmp_path / "prometheus.yml").write_text(block.removeprefix("yaml\n"))
    (tmp_path / "sparktune.rules.yml").write_text(rules_yaml())

    assert "SUCCESS" in promtool("check", "config", "prometheus.yml", folder=tmp_path)
