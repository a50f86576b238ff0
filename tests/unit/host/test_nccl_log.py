"""What NCCL's lines mean, and what they name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.nccl_log import NcclEvent, NcclEventKind, read_nccl_log


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("host:1:2 [0] NCCL INFO NET/IB : No device found.", NcclEventKind.NO_IB_DEVICE),
        ("host:1:2 [0] NCCL INFO Using network Socket", NcclEventKind.USES_SOCKET),
        ("host:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0", NcclEventKind.USES_SOCKET),
        ("host:1:2 [0] NCCL INFO Using network IB", NcclEventKind.USES_IB),
        ("host:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0", NcclEventKind.USES_IB),
        (
            "NCCL WARN Call to ibv_modify_qp failed with 61 No data available, on dev rocep1s0f0:1",
            NcclEventKind.GID_EMPTY,
        ),
        ("NCCL WARN Call to ibv_modify_qp failed with error No data available", NcclEventKind.GID_EMPTY),
        ("NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory", NcclEventKind.NO_MEMORY),
        ("NCCL WARN Call to ibv_reg_mr failed with 12", NcclEventKind.NO_MEMORY),
        (
            "NCCL WARN NET/IB: Got completion from peer with status=IBV_WC_RETRY_EXC_ERR(12)",
            NcclEventKind.RETRY_EXCEEDED,
        ),
        (
            "NCCL WARN NET/IB : Got completion from peer 10.0.5.2<1> with status=12 opcode=0",
            NcclEventKind.RETRY_EXCEEDED,
        ),
        ("NCCL WARN Timeout waiting for connection", NcclEventKind.WARNING),
    ],
)
def test_a_line_says(line: str, kind: NcclEventKind) -> None:
    assert [event.kind for event in read_nccl_log(line, "x.log").events] == [kind]


@pytest.mark.parametrize(
    "line", ["", "NCCL INFO NET/Socket : Using [0]enp1s0f1np1:10.0.5.1<0>", "model loaded", "status=128"]
)
def test_a_line_that_decides_nothing_is_left(line: str) -> None:
    """NET/Socket is initialised for the bootstrap on every machine: only the choice of network counts."""
    assert read_nccl_log(line, "x.log").events == ()


def test_device_port_and_index_are_named_also_on_the_next_line() -> None:
    text = (
        "started\n"
        "NCCL WARN Call to ibv_modify_qp failed with 61 No data available, on dev rocep1s0f0:1,\n"
        "        curr state INIT, next state RTR, local GID index 3, local GID ::\n"
    )

    (event,) = read_nccl_log(text, "x.log").events

    assert event == NcclEvent(
        kind=NcclEventKind.GID_EMPTY,
        line=2,
        text="NCCL WARN Call to ibv_modify_qp failed with 61 No data available, on dev rocep1s0f0:1, "
        "curr state INIT, next state RTR, local GID index 3, local GID ::",
        device="rocep1s0f0",
        port=1,
        gid_index=3,
    )


def test_events_are_found_by_kind_and_bounded() -> None:
    log = read_nccl_log("NCCL INFO Using network Socket\n" * 1000, "x.log")

    assert len(log.of(NcclEventKind.USES_SOCKET)) == 200
    assert log.of(NcclEventKind.USES_IB) == ()


@given(text=st.text() | st.text(alphabet="NCL WARNdev:61ibv_modify_qp failed with\n", max_size=200))
def test_any_text_is_taken(text: str) -> None:
    log = read_nccl_log(text, "x.log")

    numbers = [event.line for event in log.events]
    assert numbers == sorted(numbers)
    assert all(1 <= number <= len(text.splitlines()) for number in numbers)
    assert all(event.text and "\n" not in event.text for event in log.events)
