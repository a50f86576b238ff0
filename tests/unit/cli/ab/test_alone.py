"""Which experiments meet at one place: a server by any of its loopback names, and a service by its parts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.experiments import experiment

from sparktune.cli._ab.alone import alone_at, refuse_leftovers
from sparktune.errors import UsageError
from sparktune.experiment.plan import Experiment
from sparktune.io.store.store import Store

_URL = "http://127.0.0.1:8000/v1"
_COMPOSE = {"node": "spark1", "file": "/srv/compose.yaml", "service": "vllm"}


def _one(name: str, url: str = _URL, *where: Mapping[str, Any], folder: str = "/home/tuner") -> Experiment:
    return replace(experiment(), id=name, base_url=url, where=where, folder=folder)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "runs.sqlite3") as opened:
        yield opened


_OTHER = "http://10.0.0.7:8000/v1"
_MEET = {
    "the same server": (_one("a"), _one("b")),
    "by another name of this machine": (_one("a"), _one("b", "http://localhost:8000/v1")),
    "one service at two addresses": (_one("a", _URL, _COMPOSE), _one("b", _OTHER, _COMPOSE)),
    "one file of this machine from two folders": (
        _one("a", _URL, {"file": "/srv/vllm/compose.yaml", "service": "vllm"}),
        _one("b", _OTHER, {"file": "compose.yaml", "service": "vllm"}, folder="/srv/vllm"),
    ),
}
_APART = {
    "two ports": (_one("a"), _one("b", "http://127.0.0.1:8001/v1")),
    "two services of one file": (_one("a", _URL, _COMPOSE), _one("b", _OTHER, {**_COMPOSE, "service": "other"})),
    "files of one name in two folders": (
        _one("a", _URL, {"file": "compose.yaml", "service": "vllm"}, folder="/srv/a"),
        _one("b", _OTHER, {"file": "compose.yaml", "service": "vllm"}, folder="/srv/b"),
    ),
}


@pytest.mark.parametrize(("first", "second"), _MEET.values(), ids=_MEET)
def test_at_one_place_the_second_is_refused_by_the_name_of_the_first(
    store: Store, first: Experiment, second: Experiment
) -> None:
    with alone_at(store, first), pytest.raises(UsageError, match=r"experiment a \(pid \d+ on .*\) is running at "):  # noqa: SIM117
        with alone_at(store, second):
            pass
    with alone_at(store, second):  # the lock ends with the block
        pass


@pytest.mark.parametrize(("first", "second"), _APART.values(), ids=_APART)
def test_at_two_places_both_work(store: Store, first: Experiment, second: Experiment) -> None:
    with alone_at(store, first), alone_at(store, second):
        held = len(list(store.path.parent.glob("*.at-*")))

    assert held == 2 + len(first.where) + len(second.where), "each has its server and its parts"


@pytest.mark.parametrize(("first", "second"), _MEET.values(), ids=_MEET)
def test_what_a_killed_one_left_is_taken_back_first(store: Store, first: Experiment, second: Experiment) -> None:
    store.create_experiment(first)
    store.remember_held(first.id, {"started": 1})

    with pytest.raises(UsageError, match="experiment a was killed") as caught:
        refuse_leftovers(store, second)

    assert caught.value.hint == "first: sparktune ab resume a --restore-only"
    refuse_leftovers(store, second, own=("a",))


@pytest.mark.parametrize(("first", "second"), _APART.values(), ids=_APART)
def test_what_is_left_elsewhere_does_not_matter(store: Store, first: Experiment, second: Experiment) -> None:
    store.create_experiment(first)
    store.remember_held(first.id, {"started": 1})

    refuse_leftovers(store, second)
