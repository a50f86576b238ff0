"""What a finished stream becomes: bytes and monotonic instants, made after its last read."""

__all__ = ["record"]

from sparktune.io.load.stamps import unpack_stamps
from sparktune.io.load.stream import Stream
from sparktune.io.load.timebase import Timebase
from sparktune.model.recording import End, Recording, StampSource


def record(stream: Stream, timebase: Timebase) -> Recording:
    """Turn what a stream collected into its Recording and drop the raw form.

    ``source`` is KERNEL only when every arrival comes from a kernel stamp; one read without a usable stamp makes it
    USER, although the other reads keep theirs.
    """
    arrivals, exact = stream.woke, False
    if stream.kernel_stamps:
        arrivals, exact = timebase.to_monotonic(unpack_stamps(stream.raw_stamps), stream.woke)
    recording = Recording(
        connect_start_ns=stream.connect_start_ns,
        connected_ns=stream.connected_ns,
        send_start_ns=stream.send_start_ns,
        send_end_ns=stream.send_end_ns,
        end_ns=stream.end_ns,
        end=stream.end or End.STOPPED,
        source=StampSource.KERNEL if exact else StampSource.USER,
        data=bytes(stream.data),
        read_ends=stream.ends,
        arrival_ns=arrivals,
        woke_ns=stream.woke,
        detail=stream.detail,
        planned_ns=stream.planned_ns,
    )
    stream.recording = recording
    stream.data, stream.raw_stamps = bytearray(), bytearray()
    return recording
