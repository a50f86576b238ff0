"""Changes need root: another user's agent hands a whole request to its own copy under ``sudo -n``, or says why not."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparktune.agent.bootstrap import bootstrap
from sparktune.agent.observe import Observer
from sparktune.agent.tree import Tree
from sparktune.io.transport.package import agent_archive

_NOBODY = 65534
# One that every user may start, unlike that of the tests.
_PYTHON = "/usr/bin/python3" if os.geteuid() == 0 else sys.executable
_OLD = "import sys; sys.exit(sys.version_info < (3, 10))"
# Runs what it is given, which then believes to be root.
_OBLIGING = """#!{python}
import os, sys
assert sys.argv[1:3] == ["-n", "--"]
python, *flags, code, size, nonce = sys.argv[3:]
code = "import os; os.geteuid = lambda: 0\\n" + code
os.execv(python, [python, *flags, code, size, nonce])
"""
_ASKING = "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n"
# Runs what it is given as who it is: a sudo that does not make root.
_USELESS = '#!/bin/sh\nshift 2\nexec "$@"\n'


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may look into, unlike those of pytest."""
    if not os.access(_PYTHON, os.X_OK) or subprocess.run([_PYTHON, "-c", _OLD], check=False).returncode:
        pytest.skip("no Python for other users")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _ask(folder: Path, sudo: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Let a user who is not root ask an agent of his own, whose sudo is this script; return its answers."""
    if sudo:
        (folder / "sudo").write_text(sudo.format(python=_PYTHON))
        (folder / "sudo").chmod(0o755)
    archive = agent_archive()
    lines = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests, 1))
    user: dict[str, Any] = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    done = subprocess.run(
        bootstrap(_PYTHON, archive, "nonce"),
        input=archive + lines.encode(),
        capture_output=True,
        env={"PATH": str(folder)},
        check=False,
        timeout=60,
        **user,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()[2:]]


_TRANSACT = {"verb": "transact", "label": "x", "who": "me", "steps": []}


def test_a_password_that_would_be_asked_for_is_the_reason(folder: Path) -> None:
    (answer,) = _ask(folder, _ASKING, _TRANSACT)
    assert answer == {"id": 1, "error": {"kind": "root", "message": "needs root: sudo would ask for a password"}}


def test_without_sudo_that_is_the_reason(folder: Path) -> None:
    answers = _ask(
        folder, "", _TRANSACT, {"verb": "revert", "transaction": ""}, {"verb": "confirm", "transaction": "x"}
    )
    assert [answer["error"]["kind"] for answer in answers] == ["root"] * 3
    assert "there is no sudo" in answers[0]["error"]["message"]


def test_a_sudo_that_makes_no_root_is_not_asked_without_end(folder: Path) -> None:
    (answer,) = _ask(folder, _USELESS, _TRANSACT)
    assert (answer["id"], answer["error"]["kind"]) == (1, "root")


def test_every_answer_of_root_comes_back_under_the_number_of_the_request(folder: Path) -> None:
    """Root's copy is one that cannot write here: its refusals come back, and it stays for the next request."""
    strange = {**_TRANSACT, "steps": [{"kind": "strange", "change": "x"}]}
    first, second, third = _ask(folder, _OBLIGING, strange, {"verb": "hello"}, strange)
    assert first["error"] == third["error"]
    assert first["error"]["kind"] == "request"
    assert "strange" in first["error"]["message"]
    assert [answer["id"] for answer in (first, second, third)] == [1, 2, 3]
    assert second["ok"]["uid"] != 0


@pytest.mark.skipif(os.path.lexists("/var/lib/sparktune"), reason="this machine was changed before")
def test_an_empty_journal_needs_no_root(folder: Path) -> None:
    (answer,) = _ask(folder, _ASKING, {"verb": "journal"})
    assert answer == {"id": 1, "ok": {"transactions": [], "holder": ""}}


# The obliging sudo makes no real root: who was asked is told by a variable that only root's copy hands on.
_TELLING = _OBLIGING.replace('code = "import os;', 'os.environ["ROOTS"] = "1"\ncode = "import os;')
_RUN = {"verb": "run", "limit_s": 30, "environment": {"KNOB": "7"}, "folder": "/"}


def _program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_unit_is_started_by_root(folder: Path) -> None:
    _program(folder, "systemctl", 'echo "$@ $KNOB ${ROOTS:-user}"; exit 4')
    line, end = _ask(folder, _TELLING, {**_RUN, "argv": ["systemctl", "start", "serve.service"]})
    assert line == {"id": 1, "part": {"line": "start serve.service 7 1"}}
    assert end == {"id": 1, "ok": {"code": 4, "why": "", "missed_lines": 0}}


def test_a_unit_is_not_started_without_root(folder: Path) -> None:
    _program(folder, "systemctl", "echo never")
    (answer,) = _ask(folder, _ASKING, {**_RUN, "argv": ["systemctl", "start", "serve.service"]})
    assert answer["error"] == {"kind": "root", "message": "needs root: sudo would ask for a password"}


def test_docker_is_asked_by_root_when_it_does_not_admit_the_user(folder: Path) -> None:
    """A user who is not in docker's group: nothing was done yet when docker says so."""
    denied = "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock"
    _program(folder, "docker", f'[ -n "$ROOTS" ] && {{ echo stopped; exit 0; }}; echo "{denied}" >&2; exit 1')
    *lines, end = _ask(folder, _TELLING, {**_RUN, "argv": ["docker", "stop", "one"]})
    assert [line["part"]["line"] for line in lines] == [denied, "stopped"]
    assert end["ok"]["code"] == 0


def test_what_a_user_may_do_himself_needs_no_root(folder: Path) -> None:
    _program(folder, "docker", "echo stopped; exit 1")
    line, end = _ask(folder, _ASKING, {**_RUN, "argv": ["docker", "stop", "one"]})
    assert (line["part"]["line"], end["ok"]["code"]) == ("stopped", 1)


def test_sparkrun_is_never_run_by_root(folder: Path) -> None:
    """Its clusters and its state are in the home folder of who uses it."""
    _program(folder, "sparkrun", 'echo "${ROOTS:-user}"')
    line, _end = _ask(folder, _TELLING, {**_RUN, "argv": ["sparkrun", "status"]})
    assert line["part"]["line"] == "user"


def test_a_log_that_only_root_may_read_is_counted_by_root(folder: Path) -> None:
    """The driver's lines are in such a log, and they are the first sign of a host that is about to hang."""
    log = folder / "kernel.log"
    log.write_text("NVRM: NV_ERR_NO_MEMORY\n")
    log.chmod(0)
    source = {"kind": "count", "path": str(log), "words": ["NVRM"]}
    sample = {"verb": "sample", "sources": [source], "interval_s": 0.05, "count": 1}

    absent = _ask(folder, "", sample)
    asked = _ask(folder, _ASKING, sample)

    assert asked[0]["part"]["unread"] == {str(log): "needs root: sudo would ask for a password"}
    assert absent[0]["part"]["unread"] == {str(log): "needs root: there is no sudo"}
    if os.geteuid() == 0:
        observer = Observer(Tree(""), None)
        assert observer.read_whole(source) == {"state": "present", "value": "1\nNVRM: NV_ERR_NO_MEMORY"}
        with log.open("a") as stream:
            stream.write("NVRM: again\n")
        assert observer.read_whole(source)["value"] == "2\nNVRM: again", "root follows it from one read to the next"
