"""What ``sweep resume`` refuses before it touches anything: another image than the one that was measured."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.sweep_world import swept

from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.cli._sweep import run as _sweep
from sparktune.errors import Interrupted, NotConclusive, UnknownRun
from sparktune.io.store.store import Store


class _Began(Exception):
    """It would have gone on."""


@pytest.fixture
def resumed(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a function of what runs now and what is held
    """Return what resumes a sweep that was measured with image ``one``, while ``now`` runs."""

    def resume(now: str | None, *, held: bool = False) -> None:
        record, umbrella = swept()
        umbrella = replace(umbrella, scope={"image_digest": "sha256:one"})
        with Store.open() as store:
            store.create_sweep(record, umbrella)
            if held:
                store.remember_held(record.id, {"arm": "B"})
        scope = {} if now is None else {"image_digest": now}
        monkeypatch.setattr(_sweep, "world_of", lambda *_: None)
        monkeypatch.setattr(_sweep, "with_image", lambda experiment, _: replace(experiment, scope=scope))
        monkeypatch.setattr(_sweep, "_carry_out", _goes_on)
        _sweep.resume_command(record.id, ExperimentOptions(yes=True), restore_only=False)

    return resume


def _goes_on(*_: object, **__: object) -> None:
    raise _Began


def test_another_image_is_refused(resumed: Any) -> None:  # noqa: ANN401 - the fixture's function
    """A pull in the night: what was measured is of the image that ran then."""
    with pytest.raises(
        NotConclusive, match=r"another image now \(sha256:two\), and the sweep was measured with sha256"
    ) as told:
        resumed("sha256:two")
    assert told.value.hint == "bring that image back, or start a new sweep"


@pytest.mark.parametrize("now", ["sha256:one", None])
def test_the_same_image_and_one_that_cannot_be_told_go_on(resumed: Any, now: str | None) -> None:  # noqa: ANN401
    with pytest.raises(_Began):
        resumed(now)


def test_what_is_still_held_is_taken_back_first_whatever_runs(resumed: Any) -> None:  # noqa: ANN401
    """The image that runs is then the arm's, and says nothing of the original."""
    with pytest.raises(_Began):
        resumed("sha256:two", held=True)


def test_a_wrong_id_names_the_near_ones() -> None:
    record, umbrella = swept()
    with Store.open() as store:
        store.create_sweep(record, umbrella)
    with pytest.raises(UnknownRun, match="no sweep 'e2'") as told:
        _sweep.resume_command("e2", ExperimentOptions(yes=True), restore_only=True)
    assert "e1" in told.value.hint


def test_what_ends_a_confirmation_says_how_to_go_on_with_the_sweep() -> None:
    """``ab resume`` would confirm it, and the sweep would never know."""
    record, _ = swept()
    ended = Interrupted("experiment c1 was interrupted", hint="go on with: sparktune ab resume c1")
    with pytest.raises(Interrupted) as told, _sweep.told_as_sweep(replace(record, confirm="c1")):
        raise ended
    assert told.value.hint == "go on with: sparktune sweep resume e1"
