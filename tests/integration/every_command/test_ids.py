"""What is named by an id is named alike everywhere: whole, by its beginning, or as the last; and a shell offers it.

A new command that takes an id, nodes, a service or a workload is held to it by being there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.support.idle_trials import plan_of
from tests.support.in_process import commands, invoke
from tests.support.stored_experiment import store_experiment

from sparktune.io.store import Store

_TAKES = {
    "runs show": ("run", "{}"),
    "runs export": ("run", "{}"),
    "runs report": ("run", "{}"),
    "bench": ("run", "http://127.0.0.1:9/v1 --quiet --resume {}"),
    "ab show": ("experiment", "{}"),
    "ab resume": ("experiment", "{} --restore-only"),
    "earned accept": ("experiment", "{}"),
    "sweep show": ("sweep", "{}"),
    "sweep report": ("sweep", "{}"),
    "sweep resume": ("sweep", "{} --restore-only"),
    "place trial": ("trial", "--show {}"),
}
_OFFERED = {"--nodes": "spark1", "--service": "main", "--workload": "night"}
_CONFIG = """\
nodes: [spark1, spark2]
services: {main: {endpoint: "http://127.0.0.1:9/v1"}}
workloads: {night: {prompt_tokens: [128], output_tokens: 8}}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def ids(_here: None) -> dict[str, str]:
    """Fill the store, and return the id of the newest of each kind that is in it."""
    with Store.open() as store:
        experiment = store_experiment(store)
        trial = plan_of()
        store.idle_trials.create(trial)
        return {"run": store.newest_run().id, "experiment": experiment.id, "trial": trial.id}


def test_every_place_of_an_id_is_in_the_table() -> None:
    takers = {words for words, _, help_text in _params() if "Id of" in help_text or "its id" in help_text}

    assert takers - {"host plan", "host apply", "host verify", "host export"} == set(_TAKES)  # there of a change


@pytest.mark.parametrize("words", _TAKES)
def test_the_last_of_nothing(words: str) -> None:
    kind, line = _TAKES[words]
    done = invoke(*words.split(), *line.format("last").split())

    assert done.code == 1
    assert f"has no {kind} yet" in done.err
    assert "\nhint: " in done.err
    assert done.out == ""


@pytest.mark.parametrize("words", _TAKES)
def test_an_id_that_nothing_has(words: str, ids: dict[str, str]) -> None:
    kind, line = _TAKES[words]
    done = invoke(*words.split(), *line.format("zzz").split())

    assert done.code == 1
    assert f"no {kind} 'zzz'" in done.err
    assert f"\nhint: {'nearest: ' if kind in ids else 'start one with: '}" in done.err


@pytest.mark.parametrize("words", [words for words, (kind, _) in _TAKES.items() if kind != "sweep"])
def test_whole_by_its_beginning_and_as_the_last(words: str, ids: dict[str, str]) -> None:
    kind, line = _TAKES[words]
    ends = {name: invoke(*words.split(), *line.format(name).split()) for name in (ids[kind], ids[kind][:-1], "last")}

    assert len({(done.code, done.out) for done in ends.values()}) == 1, ends
    assert not any(f"no {kind}" in done.err for done in ends.values()), ends


def test_a_shell_offers_names_wherever_they_are_taken(ids: dict[str, str]) -> None:
    Path("sparktune.yaml").write_text(_CONFIG)
    for words, param, help_text in _params():
        name = max(param.opts, key=len)
        kind = _TAKES[words][0] if words in _TAKES and ("Id of" in help_text or "its id" in help_text) else ""
        wanted = _OFFERED.get(name) if not kind else ids.get(kind)
        if wanted is None:
            continue
        context = typer.Context(dict(commands())[words])

        offered = [one.value for one in param.shell_complete(context, wanted[:2])]

        assert wanted in offered, (words, name, offered)


def _params() -> Iterator[tuple[str, Any, str]]:
    for words, command in commands():
        for param in command.params:
            yield words, param, str(getattr(param, "help", "") or "")
