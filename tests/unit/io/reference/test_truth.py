"""The record from which a client is judged: what it derives is worked out by hand here."""

import pytest

from sparktune.io.reference.plan import Fault
from sparktune.io.reference.truth import Arrival, Entry, decode_log, encode_log

_MS = 1_000_000


def _arrival(arrived_ns: int | None = 100 * _MS) -> Arrival:
    return Arrival(
        request_id="r1",
        path="/v1/completions",
        stream=True,
        peer_port=4,
        arrived_ns=arrived_ns,
        received_ns=101 * _MS,
        prompt_tokens=9,
        cached_tokens=2,
        inflight=1,
    )


def _entry(arrived_ns: int | None = 100 * _MS) -> Entry:
    entry = Entry(_arrival(arrived_ns), Fault.NONE)
    entry.wrote(300 * _MS, 301 * _MS, (3,), whole=True)
    entry.wrote(310 * _MS, 311 * _MS, (3,), whole=True)
    entry.wrote(320 * _MS, 321 * _MS, (2,), whole=True)
    return entry


@pytest.mark.parametrize(("arrived_ns", "expected"), [(100 * _MS, 0.2), (None, 0.199)])
def test_kernel_stamp_is_preferred_where_there_is_one(arrived_ns: int | None, expected: float) -> None:
    assert _entry(arrived_ns).record(400 * _MS).receive_to_write_s == pytest.approx(expected)


def test_rate_leaves_the_first_chunk_out() -> None:
    record = _entry().record(400 * _MS)

    assert record.output_tokens == 8
    assert record.rate_tok_s == pytest.approx(5 / 0.020)


def test_nothing_written_has_no_rate_and_no_first_write() -> None:
    record = Entry(_arrival(), Fault.FAIL).record(400 * _MS)

    assert (record.receive_to_write_s, record.rate_tok_s) == (None, None)


def test_blocked_chunks_end_when_the_socket_took_them() -> None:
    """Otherwise a client that read slowly would be blamed for a stamp after the end of the send call."""
    entry = _entry()
    entry.wrote(330 * _MS, 331 * _MS, (1,), whole=False)
    entry.wrote(340 * _MS, 341 * _MS, (1,), whole=False)
    entry.unblocked(355 * _MS)
    entry.wrote(360 * _MS, 361 * _MS, (1,), whole=True)
    record = entry.record(400 * _MS)

    assert record.after_ns[-4:] == (321 * _MS, 355 * _MS, 355 * _MS, 361 * _MS)
    assert record.blocked == 2


def test_log_round_trip() -> None:
    records = (_entry().record(400 * _MS), _entry(None).record(401 * _MS))

    assert decode_log(encode_log(records)) == records
