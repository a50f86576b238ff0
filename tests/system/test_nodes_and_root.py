"""Reads that only root may do, by a user with sudo, without it, and with a password: real sudo, with rules of its own.

The rules replace the machine's own in a mount namespace that only the test's processes see.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.observed import State
from sparktune.model.reads import ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks

pytestmark = pytest.mark.root

_USER = "nobody"
_RULES = {
    "without a password": f"root ALL=(ALL) ALL\n{_USER} ALL=(ALL) NOPASSWD: ALL\n",
    "with a password": f"root ALL=(ALL) ALL\n{_USER} ALL=(ALL) ALL\n",
    "never": "root ALL=(ALL) ALL\n",
}
_ENVIRON = f"/proc/{os.getpid()}/environ"  # of a process of root: this one
_LOCKED = ("ibdev2netdev", "-v")  # stands for any command that works only for root
_LINKS = f"/proc/{os.getpid()}/ns/*"


@pytest.fixture(name="rules")
def _rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make a command that stands for ssh: it runs what it is asked as a user for whom the rules are these."""
    for program in ("sudo", "unshare", "setpriv"):
        if shutil.which(program) is None:
            pytest.skip(f"needs the command {program}")
    # A folder of pytest's own is closed to other users.
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="spark-") as name:
        folder = Path(name)
        (folder / "sudoers").write_text(_RULES[request.param])
        (folder / "sudoers").chmod(0o440)
        locked = folder / "bin" / _LOCKED[0]
        locked.parent.mkdir()
        locked.write_text(
            "#!/bin/sh\n[ $(id -u) = 0 ] && echo root sees it && exit\necho Permission denied >&2\nexit 1\n"
        )
        ssh = folder / "ssh"
        ssh.write_text(
            f"""#!/bin/sh
for word; do :; done
export ASKED="$word" PATH={folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec unshare --mount sh -c '
    mount --bind {folder}/sudoers /etc/sudoers &&
    exec setpriv --reuid={_USER} --regid=nogroup --clear-groups sh -c "$ASKED"'
"""
        )
        for path in (ssh, locked, folder):
            path.chmod(0o755)
        monkeypatch.setenv("SPARKTUNE_SSH", str(ssh))
        yield


async def _readings() -> tuple[int | None, Readings]:
    async with NodeSession(NodeTarget(name="spark", host="spark")) as node:
        hello = await node.hello()
        reads = (
            ReadFile(path="/proc/version"),
            ReadFile(path=_ENVIRON),
            ReadFiles(pattern="/proc/[0-9]*/environ", lines=("PATH=",)),
            ReadLinks(pattern=_LINKS),
            ReadCommand(argv=_LOCKED),
        )
        return hello.uid, await node.observe(reads)


@pytest.mark.parametrize("rules", ["without a password"], indirect=True)
@pytest.mark.usefixtures("rules")
async def test_root_is_asked_for_what_only_root_may_read() -> None:
    uid, readings = await _readings()

    assert uid not in {0, None}
    assert readings.file("/proc/version").state is State.PRESENT
    assert readings.file(_ENVIRON).state is State.PRESENT
    output = readings.command(*_LOCKED).value
    assert output is not None
    assert (output.stdout, output.code) == ("root sees it\n", 0)
    assert f"{_LINKS[:-1]}mnt" in readings.links[_LINKS]
    assert _ENVIRON in readings.matching("/proc/[0-9]*/environ")


@pytest.mark.parametrize(
    ("rules", "why"),
    [("with a password", "needs root: sudo would ask for a password"), ("never", "needs root: ")],
    indirect=["rules"],
)
@pytest.mark.usefixtures("rules")
async def test_what_root_is_not_asked_for_says_why(why: str) -> None:
    """Nobody is asked for a password, and what anyone may read is read."""
    _uid, readings = await _readings()

    assert readings.file("/proc/version").state is State.PRESENT
    assert readings.file(_ENVIRON).state is State.UNREADABLE
    assert readings.file(_ENVIRON).why.startswith(why)
    assert readings.matching("/proc/[0-9]*/environ")[_ENVIRON].why.startswith(why)
    assert readings.command(*_LOCKED).why.startswith(why)
    assert readings.unread[_LINKS].startswith(why)
