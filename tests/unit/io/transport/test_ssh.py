"""The command line of ssh: the user's own settings decide, a host is never an option, nothing is asked."""

import shlex
import tempfile
from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.transport.ssh import ssh_command


@pytest.fixture(autouse=True)
def _runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("r")))
    monkeypatch.delenv("SPARKTUNE_SSH", raising=False)


def test_the_remote_command_is_quoted_once() -> None:
    remote = ("python3", "-c", "print('a b; rm -rf $HOME')", "5")

    command = ssh_command("me@spark", remote)

    assert command[-3:-1] == ("--", "me@spark")
    assert tuple(shlex.split(command[-1])) == remote


def test_nothing_is_asked_and_nothing_is_forwarded() -> None:
    command = ssh_command("spark", ("true",))

    assert command[0] == "ssh"
    assert {"BatchMode=yes", "ClearAllForwardings=yes", "RemoteCommand=none"} <= set(command)
    assert {"-T", "-a", "-x"} <= set(command)
    assert not {"-F", "-i", "-l", "-p"} & set(command), "the user's configuration decides"


@pytest.mark.parametrize("host", ["", "-oProxyCommand=true", "a b", "a\nb", "a\x1bb"])
def test_a_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(UsageError):
        ssh_command(host, ("true",))


def test_another_ssh_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUNE_SSH", "/opt/ssh -F 'my config'")

    assert ssh_command("spark", ("true",))[:3] == ("/opt/ssh", "-F", "my config")


def test_another_ssh_that_cannot_be_understood_is_a_fault_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUNE_SSH", "ssh -F 'open")

    with pytest.raises(UsageError, match="SPARKTUNE_SSH"):
        ssh_command("spark", ("true",))


def test_connections_are_shared_in_a_folder_of_this_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="s-") as runtime:  # the path of a socket must be short
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)

        folder = _control_folder()

        assert folder.parent == Path(runtime)
        assert folder.stat().st_mode & 0o777 == 0o700
        folder.chmod(0o755)
        assert _control_folder() != folder, "others could look in"


def test_a_runtime_folder_with_a_long_path_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The kernel takes no path of a socket that is longer than 107 bytes."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / ("x" * 60)))

    assert len(str(_control_folder())) + 1 + 40 + 17 <= 107


def _control_folder() -> Path:
    (path,) = [word.partition("=")[2] for word in ssh_command("spark", ("true",)) if word.startswith("ControlPath=")]
    assert path.endswith("/%C")
    return Path(path).parent


def test_a_connection_of_its_own_shares_nothing() -> None:
    """Only a new connection proves that there is still a way to a node."""
    command = ssh_command("spark", ("true",), shared=False)

    assert {"ControlMaster=no", "ControlPath=none"} <= set(command)
    assert not any("ControlPersist" in word for word in command)
