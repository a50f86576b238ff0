"""The spool's form: whole frames come back, whatever happened to the end of the file."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.stored import make_cell, make_request, plain, raw_requests

from sparktune.io.store.frames import SpooledWave, begin_frame, read_waves, request_frame
from sparktune.model.raw import RawRequest
from sparktune.model.trial import Phase

_WAVE = SpooledWave(run_id="r", cell=make_cell(), index=3, phase=Phase.WARMUP, started_wall_s=12.25)


@given(st.lists(st.lists(raw_requests(), max_size=3), max_size=3))
def test_waves_come_back(waves: list[list[RawRequest]]) -> None:
    data = b"".join(begin_frame(_WAVE) + b"".join(map(request_frame, requests)) for requests in waves)

    found, torn = read_waves(data)

    assert [plain(wave.requests) for wave in found] == [plain(tuple(requests)) for requests in waves]
    assert all(
        (wave.run_id, wave.index, wave.phase, wave.started_wall_s) == ("r", 3, Phase.WARMUP, 12.25) for wave in found
    )
    assert torn == 0


@given(st.data())
def test_a_torn_end_costs_one_request(data: st.DataObject) -> None:
    """A process killed in the middle of a write must not take the requests before it along."""
    whole = begin_frame(_WAVE) + request_frame(make_request(0)) + request_frame(make_request(1))
    last = request_frame(make_request(2))
    cut = data.draw(st.integers(min_value=0, max_value=len(last) - 1))

    (wave,), torn = read_waves(whole + last[:cut])

    assert [request.stream for request in wave.requests] == [0, 1]
    assert torn == cut


def test_a_damaged_frame_is_not_believed() -> None:
    good = begin_frame(_WAVE) + request_frame(make_request(0))
    bad = bytearray(request_frame(make_request(1)))
    bad[-1] ^= 1

    (wave,), torn = read_waves(good + bytes(bad))

    assert [request.stream for request in wave.requests] == [0]
    assert torn == len(bad)


def test_requests_without_a_wave_are_dropped() -> None:
    assert read_waves(request_frame(make_request())) == ((), 0)
