"""Packed integers and JSON records come back as they were."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import ValidationError
from tests.support.stored import outcomes, runs

from sparktune.io.store.codec import compress, decompress, from_json, pack, plain_text, to_json, unpack
from sparktune.model.run import Run
from sparktune.model.warmup import WarmupOutcome


@given(st.lists(st.integers(min_value=-(2**63), max_value=2**63 - 1)))
def test_packed_integers_come_back(values: list[int]) -> None:
    assert list(unpack(pack(values))) == values


def test_packing_shrinks_stamps() -> None:
    """Three stamps per read would otherwise weigh as much as the bytes that were read."""
    stamps = [10**15 + index * 10_000_123 for index in range(5_000)]

    assert len(pack(stamps)) < 8 * len(stamps) / 2


@given(st.binary())
def test_bodies_come_back(data: bytes) -> None:
    assert decompress(compress(data)) == data


@given(runs())
def test_runs_come_back(run: Run) -> None:
    assert from_json(to_json(run), Run) == run


@given(outcomes())
def test_warmup_outcomes_come_back(outcome: WarmupOutcome) -> None:
    assert from_json(to_json(outcome), WarmupOutcome) == outcome


def test_unknown_numbers_stay_unknown() -> None:
    """A NaN that came back as null or 0 would be a number that nobody measured."""
    outcome = from_json(to_json(WarmupOutcome(waves=1, steady=None, spread=math.nan)), WarmupOutcome)

    assert outcome.spread is not None
    assert math.isnan(outcome.spread)


@pytest.mark.parametrize("text", ['{"waves": "many", "steady": null}', "[]", "{}"])
def test_other_records_are_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        from_json(text, WarmupOutcome)


def test_a_lone_surrogate_becomes_its_escape() -> None:
    """SQLite text is UTF-8: an undecodable byte of an argument must not end a run."""
    assert plain_text("caf\udce9") == "caf\\udce9"


def test_packed_integers_do_not_depend_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store can be copied; on a big-endian machine the words are swapped on the way in and out."""
    values = [1, -2, 10**15]
    swapped = array("q", values)
    swapped.byteswap()
    little = pack(values)
    monkeypatch.setattr("sys.byteorder", "big")

    assert pack(swapped) == little
    assert list(unpack(little)) == list(swapped)
