"""Why a node does not answer: what ssh says, sorted into the errors that need different help."""

import pytest

from sparktune.errors import NodeAuthRejected, NodeError, NodeNoPython, NodeProtocolError, NodeUnreachable
from sparktune.io.transport.complaints import error_of_end, last_line, timeout_error


@pytest.mark.parametrize(
    ("code", "complaints", "greeted", "kind"),
    [
        (255, "ssh: connect to host spark port 22: Connection refused", False, NodeUnreachable),
        (255, "ssh: Could not resolve hostname spark: Name or service not known", False, NodeUnreachable),
        (255, "ssh: connect to host spark port 22: Connection timed out", False, NodeUnreachable),
        (255, "ssh: connect to host spark port 22: No route to host", False, NodeUnreachable),
        (255, "kex_exchange_identification: read: Connection reset by peer", False, NodeUnreachable),
        (255, "me@spark: Permission denied (publickey,password).", False, NodeAuthRejected),
        (255, "Received disconnect: Too many authentication failures", False, NodeAuthRejected),
        (255, "No ED25519 host key is known for spark.\nHost key verification failed.", False, NodeAuthRejected),
        (255, "", True, NodeUnreachable),
        (-9, "", True, NodeProtocolError),
        (127, "bash: line 1: python3: command not found", False, NodeNoPython),
        (127, "", False, NodeNoPython),
        (1, "sparktune needs Python 3.10 or newer, this is 3.8.10", False, NodeNoPython),
        (0, "This account is currently not available.", False, NodeProtocolError),
        (None, "", False, NodeProtocolError),
    ],
)
def test_each_way_to_fail_is_its_own_error(
    code: int | None, complaints: str, *, greeted: bool, kind: type[NodeError]
) -> None:
    error = error_of_end("spark", "spark", code, complaints, greeted=greeted)

    assert type(error) is kind
    assert str(error).startswith("spark: ")
    assert last_line(complaints) in str(error)
    assert "\n" not in str(error)
    assert error.hint


def test_a_reinstalled_host_is_told_from_an_unknown_one() -> None:
    changed = "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed."

    assert "ssh-keygen -R" in error_of_end("a", "a", 255, changed, greeted=False).hint
    assert "by hand" in error_of_end("a", "a", 255, "Host key verification failed.", greeted=False).hint


def test_a_wrong_answer_is_said_before_how_the_process_ended() -> None:
    error = error_of_end("a", "a", 255, "Connection reset", greeted=True, refused="it sends nonsense")

    assert type(error) is NodeProtocolError
    assert str(error) == "a: it sends nonsense"


def test_hints_for_this_machine_name_no_ssh() -> None:
    assert "ssh" not in error_of_end("here", None, 1, "", greeted=True).hint
    assert "this machine" in timeout_error("here", None, 3.0, "").hint


def test_a_timeout_says_how_long_and_what_was_last_heard() -> None:
    assert str(timeout_error("a", "a", 3.0, "debug: x\nwaiting\n")) == "a: no answer within 3 s (waiting)"


def test_a_node_cannot_write_to_the_terminal() -> None:
    """What a node says is printed; escape sequences in it would be obeyed."""
    assert last_line("\x1b[2Jcleared\x07\n") == "?[2Jcleared?"
    assert len(last_line("x" * 10_000)) < 300


def test_a_folder_of_that_name_is_no_hint_once_the_node_has_answered() -> None:
    """The way broke; the name was right."""
    lost = "Connection to spark closed."
    before, after = (
        error_of_end("spark", "spark", 255, lost, greeted=greeted, namesakes=("spark/a",)) for greeted in (False, True)
    )
    assert "--nodes spark/a" in before.hint
    assert "slash" not in after.hint
    denied = error_of_end("spark", "spark", 255, "Permission denied", greeted=False, namesakes=("spark/a",))
    assert "slash" not in denied.hint
