"""What is said while nodes are awaited, and that nothing of it stays on the terminal."""

import io

import pytest

from sparktune.cli._waiting import WaitingLine, waiting_said
from sparktune.io.transport.awaited import awaiting, names_awaited

_CLEAR = "\r\x1b[K"


@pytest.mark.parametrize(
    ("names", "waited_s", "width", "said"),
    [
        (("spark2",), 8.2, 80, "waiting for spark2: 8 s"),
        (("spark1", "spark2"), 2.0, 80, "waiting for spark1, spark2: 2 s"),
        (tuple("abcd"), 5.0, 80, "waiting for 4 nodes: 5 s"),
        (("evil\x1b[2J\nname",), 5.0, 80, "waiting for evil\\x1b[2J name: 5 s"),
        (("a-node-with-a-long-name",), 5.0, 20, "waiting for a-node-"),
        (("spark2",), 1.9, 80, ""),
        ((), 8.0, 80, ""),
    ],
    ids=["one", "two", "many", "a name with an escape", "a narrow terminal", "no waiting yet", "all have answered"],
)
def test_who_is_awaited_is_said_in_a_line(names: tuple[str, ...], waited_s: float, width: int, said: str) -> None:
    stream = io.StringIO()

    WaitingLine(stream, lambda: names, width).show(waited_s)

    assert stream.getvalue() == (_CLEAR + said if said else "")


def test_the_line_is_gone_before_the_answer() -> None:
    """What the command prints begins at the left of an empty line."""
    stream, names = io.StringIO(), ["spark2"]
    line = WaitingLine(stream, lambda: tuple(names), 80)

    line.show(3.0)
    names.clear()
    line.show(4.0)
    line.clear()

    assert stream.getvalue() == f"{_CLEAR}waiting for spark2: 3 s{_CLEAR}"


def test_a_terminal_that_has_gone_ends_nothing() -> None:
    class Gone(io.StringIO):
        def flush(self) -> None:
            raise OSError(5, "Input/output error")

    line = WaitingLine(Gone(), lambda: ("spark2",), 80)

    line.show(3.0)
    line.clear()


def test_a_pipe_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting_said(), awaiting("spark2"), names_awaited() as names:
        assert names() == ()

    assert capsys.readouterr().err == ""


def test_a_node_is_awaited_until_its_last_question_has_ended() -> None:
    """Several ask one node at once; and who breaks off does not leave it awaited for ever."""
    with names_awaited() as names:
        with awaiting("spark1"):
            with awaiting("spark1"), awaiting("spark2"):
                assert names() == ("spark1", "spark2")
            with pytest.raises(TimeoutError), awaiting("spark3"):
                raise TimeoutError
            assert names() == ("spark1",)
        assert names() == ()
