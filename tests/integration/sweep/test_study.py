"""A study that sweeps share, in real databases: nothing is proposed twice, and what one learned the other knows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.support.ab import GUARD, SLOW, WORKLOAD, server_argv
from tests.support.cli import run_sparktune
from tests.support.ports import free_port
from tests.support.postgres import postgres

from sparktune.errors import StoreError, UsageError
from sparktune.io.study import SharedStudy
from sparktune.model.study import Learned, StudySpace

pytest.importorskip("optuna", reason="Optuna is not installed (extra study)")

_CHOICES = {"a": ("1", "2", "3", "4"), "b": ("", "x", "y"), "c": ("8", "16", "32", "64")}
_SPACE = StudySpace(name="sparktune a, b, c", choices=_CHOICES)


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One database for all tests: each has a study of its own in it, as clusters do."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('study') / 'study.db'}"
        return
    with postgres() as found:
        yield found


def _keys(asked: Sequence[Mapping[str, str]]) -> list[tuple[tuple[str, str], ...]]:
    return [tuple(sorted(values.items())) for values in asked]


def _ask(address: str, space: StudySpace, sweep: str, count: int) -> tuple[Mapping[str, str], ...]:
    with SharedStudy.open(address, space, sweep) as study:
        return study.ask(count)


def test_two_sweeps_on_one_study(address: str) -> None:
    """Each is proposed what neither has tried, and is told nothing twice, however often it is resumed."""
    asked, others = (_ask(address, _SPACE, sweep, 4) for sweep in ("s1", "s2"))
    keys = [*_keys(asked), *_keys(others)]

    assert len(set(keys)) == len(keys) == 8
    assert tuple(sorted(_SPACE.baseline.items())) not in keys
    assert all(values[knob] in choices for values in asked for knob, choices in _CHOICES.items())

    learned = [
        Learned(key="baseline", values=_SPACE.baseline, log_ratio=0.0),
        Learned(key="one", values=asked[0], log_ratio=0.2),
        Learned(key="two", values=asked[1], failed="out of memory"),
        Learned(key="three", values={**_SPACE.baseline, "a": "4"}, log_ratio=-0.1),
    ]
    for told in (4, 0):
        with SharedStudy.open(address, _SPACE, "s1") as study:
            assert study.tell(learned) == told
    again = _ask(address, _SPACE, "s3", 4)
    assert not {*_keys([one.values for one in learned]), *_keys(others)} & set(_keys(again))


def test_what_was_proposed_and_not_tried_is_given_back(address: str) -> None:
    """A sweep whose budget ends, or that is not started after all, does not keep anything from the others."""
    small = StudySpace(name="small", choices={"a": ("1", "2"), "b": ("", "x")})
    with SharedStudy.open(address, small, "s1") as first:
        asked = first.ask(6)
        assert len(asked) == 3
        assert _ask(address, small, "s2", 3) == ()
        first.tell([])
    assert set(_keys(_ask(address, small, "s2", 6))) == set(_keys(asked))


@pytest.mark.parametrize("wrong", ["study.db", "mysql://host/db", "redis://secret:word@host"])
def test_an_address_that_is_none(wrong: str) -> None:
    with pytest.raises(UsageError) as told:
        SharedStudy.open(wrong, _SPACE, "s1")
    assert "sqlite:///study.db" in told.value.hint
    assert "word" not in str(told.value)


def test_a_database_that_is_not_there_is_told_in_a_line_without_its_password() -> None:
    with pytest.raises(StoreError) as told:
        SharedStudy.open("postgresql://someone:password1@127.0.0.1:1/none", _SPACE, "s1")
    assert "password1" not in str(told.value)
    assert "\n" not in str(told.value)
    assert "without --study" in told.value.hint


@pytest.mark.slow
def test_a_sweep_tries_what_the_study_proposes_and_tells_it(tmp_path: Path) -> None:
    """From the command line: combinations are screened besides, and the study knows afterwards what each came to."""
    port = free_port()
    plan = {
        "name": "two knobs",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "baseline": {"command": server_argv(port, SLOW)},
        "knobs": {"flag:--itl-ms": ["4"], "flag:--ttft-ms": ["3"]},
        "workload": WORKLOAD,
        "race_blocks": 0,
        "pairs": False,
        "confirm_blocks": 3,
        "seed": 1,
        "guard": GUARD,
    }
    file, address = tmp_path / "sweep.yaml", f"sqlite:///{tmp_path / 'study.db'}"
    file.write_text(json.dumps(plan))  # JSON is YAML

    done = run_sparktune("sweep", str(file), "--yes", "--json", "--study", address, "--proposals", "2", limit_s=200.0)

    assert done.code in {0, 5}, done.err
    keys = {visit["key"] for visit in done.json["visits"]}
    assert "flag:--itl-ms=4 flag:--ttft-ms=3" in keys, "the only one that nobody had named"
    assert "told the study at sqlite:///" in done.err
    told = _ask(address, _of(address), "another", 4)
    assert told == (), "all four are known now"


def _of(address: str) -> StudySpace:
    """Return the space of the only study that a database has."""
    optuna = pytest.importorskip("optuna")
    (name,) = optuna.study.get_all_study_names(address)
    trials = optuna.load_study(study_name=name, storage=address).get_trials(deepcopy=False)
    return StudySpace(name=name, choices={knob: one.choices for knob, one in trials[0].distributions.items()})
