"""A recording whose parts contradict each other would put tokens at wrong instants: it cannot be made."""

import pytest

from sparktune.model.recording import End, Recording, StampSource


def _recording(data: bytes, read_ends: tuple[int, ...], arrivals: tuple[int, ...], woke: tuple[int, ...]) -> Recording:
    return Recording(
        connect_start_ns=1,
        connected_ns=2,
        send_start_ns=3,
        send_end_ns=4,
        end_ns=9,
        end=End.COMPLETE,
        source=StampSource.KERNEL,
        data=data,
        read_ends=read_ends,
        arrival_ns=arrivals,
        woke_ns=woke,
    )


@pytest.mark.parametrize(
    ("data", "read_ends", "arrivals", "woke", "message"),
    [
        (b"abc", (1, 3), (5,), (6, 7), "differ in length"),
        (b"abc", (3,), (5,), (6, 7), "differ in length"),
        (b"abc", (1, 2), (5, 6), (6, 7), r"reads end at \(2,\) but 3 bytes are kept"),
        (b"abc", (), (), (), r"reads end at \(\) but 3 bytes are kept"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(
    data: bytes, read_ends: tuple[int, ...], arrivals: tuple[int, ...], woke: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _recording(data, read_ends, arrivals, woke)


def test_nothing_read_is_a_recording_too() -> None:
    assert _recording(b"", (), (), ()).read_ends == ()
