"""``sparktune`` alone, in a folder with a service and nodes of which some hang: it answers at once and says which."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.measured import store_run
from tests.support.ports import free_port
from tests.support.stored_experiment import store_experiment

from sparktune.io.store import Store
from sparktune.model.experiment_row import ExperimentState

_SILENT_SSH = f"{sys.executable} -c 'import time; time.sleep(600)'"


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The practice service, which nobody has started."""
    done = run_sparktune("lab", "init", str(tmp_path / "lab"), "--port", str(free_port()))
    assert done.code == 0, done.err
    monkeypatch.chdir(tmp_path / "lab" / "service")
    return tmp_path / "lab" / "service"


def test_a_configured_folder_says_where_things_stand(service: Path) -> None:
    with Store.open() as store:
        own = store_run(store, "261101-000000-own", created_wall_s=1_700_000_000.0)
        experiment = store_experiment(store)

    done = run_sparktune("status", "--within", "60s")
    told = run_sparktune("status", "--within", "60s", "--json").json

    assert (done.code, done.err) == (0, "")
    assert f"{service}/sparktune.yaml" in done.out
    assert "nobody listens at 127.0.0.1:" in done.out
    assert "has drifted: LAB_MAX_INFLIGHT_PREFILLS" in done.out
    assert f"({experiment.id}, 2026-11-29)" in done.out
    assert told["earned"]["settings"] == 1
    assert [one["node"] for one in told["nodes"]] == ["local"]
    assert told["service"]["answers"] is False
    assert told["drift"]["differs"] is True
    newest = {one["kind"]: one["id"] for one in told["verdicts"]}
    assert newest == {"bench": own.id, "ab": experiment.id}, "a visit of an experiment is no benchmark of its own"


@pytest.mark.usefixtures("service")
def test_what_stands_against_a_verdict_is_told_with_it() -> None:
    """Who reads "IMPROVED" on the front page in the morning must not keep what starves somebody."""
    why = "guard decode_min_tok_s is WORSE (-37.0 %)"
    with Store.open() as store:
        experiment = store_experiment(store)
        store.end_experiment(experiment.id, ExperimentState.DONE, verdict="IMPROVED", why=why)

    told = run_sparktune("status", "--within", "60s", "--json").json
    history = run_sparktune("earned", "history", "--json").json

    assert [one["verdict"] for one in told["verdicts"] if one["kind"] == "ab"] == [f"IMPROVED, but {why}"]
    assert [(one["verdict"], one["why"]) for one in history["experiments"]] == [("IMPROVED", why)]
    assert run_sparktune("ab", "list").out.endswith(f"BUT {why}\n")


def test_what_hangs_is_given_up_and_the_last_look_is_told(service: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A front page that waits for a dead node is one that nobody opens again."""
    first = run_sparktune("status", "--within", "60s", "--json").json
    monkeypatch.setenv("SPARKTUNE_SSH", _SILENT_SSH)
    config = service / "sparktune.yaml"
    config.write_text("nodes: [local, {name: gone, host: gone.invalid}]\n" + config.read_text())

    done = run_sparktune("status", "--within", "8s", "--json")

    assert done.err == ""
    nodes = {one["node"]: one for one in done.json["nodes"]}
    assert nodes["local"]["answers"] is True
    assert nodes["gone"]["why"] == "did not answer within 8 s"
    assert nodes["gone"]["last_seen"] is None
    drift = done.json["drift"]
    assert drift["why"] == "did not answer within 8 s"
    assert drift["at"] == first["drift"]["at"], "what is told is the look before, with its time"
    assert done.json["next"]["command"] == "sparktune doctor"
    # With no word more it waits two seconds, so that it stays a front page.
    assert "gone did not answer within 2 s; never seen from here" in " ".join(run_sparktune().out.split())


def test_looking_leaves_no_process_behind(service: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = f"left-behind-{os.getpid()}"
    monkeypatch.setenv("SPARKTUNE_SSH", f"{sys.executable} -c 'import time; time.sleep(600)' {mark}")
    config = service / "sparktune.yaml"
    config.write_text("nodes: [{name: gone, host: gone.invalid}]\n" + config.read_text())

    done = run_sparktune("status", "--within", "1s")

    assert done.err == "", "what was given up is no news"
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)  # noqa: S607
    assert mark not in listed.stdout


def test_nothing_is_made_outside_of_a_configured_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")

    done = run_sparktune()
    told = run_sparktune("status", "--json").json

    assert done.code == 0
    assert "no sparktune.yaml is in this folder or above it" in done.out
    assert told["next"]["command"] == "sparktune init"
    assert not Path(os.environ["SPARKTUNE_DATA"]).exists()


def test_several_services_without_a_default_are_named(service: Path) -> None:
    config = service / "sparktune.yaml"
    text = config.read_text()
    config.write_text(text.replace("workloads:", "  other:\n    endpoint: http://127.0.0.1:9/v1\nworkloads:", 1))

    told = json.loads(run_sparktune("status", "--json").out)

    assert told["service"] is None
    assert told["why"] == "names 2 services and no default_service; choose one of: lab, other"


def test_a_file_that_cannot_be_read_is_an_error_with_its_place(service: Path) -> None:
    (service / "sparktune.yaml").write_text("nodez: []\n")

    done = run_sparktune()

    assert done.code == 2
    assert "unknown key 'nodez'" in done.err
    assert "hint:" in done.err
