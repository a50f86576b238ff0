"""``drift restore`` on two nodes of which one is lost while it is changed: the way back is named, and goes all the way.

Nothing here is timed: a link breaks at a record of the agent's journal, or while an agent waits for the test.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.support.cli import run_sparktune
from tests.support.compose_project import ComposeProject, compose_project
from tests.support.earned_limit import EARNED_LIMIT
from tests.support.odd_ssh import odd_ssh

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(500)]  # a service is made anew several times

_ODD = Path(__file__).parents[1] / "support" / "odd_ssh.py"
_RANK1_HAS = 'environment: {DEPTH: "${DEPTH:-3}"}'
_LIMITED = 'environment: {DEPTH: "${DEPTH:-3}", LIMIT: "1"}'
_LIMIT_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """``near`` is on this machine, ``far`` on spark1, which is this machine behind a link that the test breaks."""

    near: ComposeProject
    far: ComposeProject
    orders: Path

    @property
    def lets_go(self) -> Path:
        """An agent on spark1 that has begun to change something waits for this file."""
        return self.orders / "go"

    def link(self, **orders: object) -> None:
        """Say how the link to spark1 is from now on."""
        odd_ssh(self.orders, "spark1", root="", **orders)

    @property
    def files(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Return the files of both."""
        return self.near.files(), self.far.files()

    def status(self, project: ComposeProject) -> str:
        """Return the state of its container."""
        service = "server" if project is self.near else "rank1"
        found = json.loads(project.docker.run("inspect", f"{project.folder.name}-{service}-1"))[0]
        return str(found["State"]["Status"])

    def limits(self) -> list[str]:
        """Return LIMIT as each container was made with it."""
        found = [self.far.container("rank1"), self.near.container("server")]
        return [word.partition("=")[2] for one in found for word in one["Env"] if word.startswith("LIMIT=")]


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    """A service of two parts that runs with 1, where 2 was earned."""
    with (
        compose_project() as started,
        started.in_folder(tmp_path / "near") as near,
        started.in_folder(tmp_path / "far") as far,
    ):
        file = far.folder / "compose.yaml"
        file.write_text(file.read_text().replace(_RANK1_HAS, _LIMITED))
        where = [
            {"node": "spark1", "file": str(file), "service": "rank1"},
            {"file": str(near.folder / "compose.yaml"), "service": "server"},
        ]
        service = {"endpoint": f"http://127.0.0.1:{near.port}/v1", "launcher": "compose", "where": where}
        (tmp_path / "sparktune.yaml").write_text(yaml.safe_dump({"nodes": ["spark1"], "services": {"house": service}}))
        (tmp_path / "earned.yaml").write_text(yaml.safe_dump(EARNED_LIMIT))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("DOCKER_HOST", started.docker.host)
        monkeypatch.setenv("SPARKTUNE_SSH", f"{sys.executable} {_ODD} {tmp_path / 'orders'}")
        near.up("server")
        far.up("rank1")
        yield Pair(near=near, far=far, orders=tmp_path / "orders")


def _until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _LIMIT_S
    while not what():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            pytest.fail(f"it did not come to that: {process.communicate()}")
        time.sleep(0.2)


def test_a_node_that_is_lost_while_it_is_changed_leaves_a_way_back(pair: Pair) -> None:
    before = pair.files
    pair.link(waits_for=str(pair.lets_go))
    argv = [sys.executable, "-m", "sparktune", "drift", "restore", "LIMIT", "--yes"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        _until(lambda: pair.status(pair.near) == pair.status(pair.far) == "exited", process)
        pair.link(refuses=0, waits_for=str(pair.lets_go))
        pair.lets_go.touch()
        _out, err = process.communicate(timeout=_LIMIT_S)

    assert process.returncode == 1, err
    assert "LIMIT was not restored: spark1: " in err
    assert "and taking it back failed: spark1: " in err
    assert "sparktune drift restore --undo" in err
    assert pair.near.files() == before[0], "the node that is there has its file again"
    again = run_sparktune("drift", "restore", "LIMIT", "--yes")
    assert (again.code, "--undo" in again.err) == (2, True)
    told = " ".join(run_sparktune("status").out.split())
    assert "next sparktune drift restore --undo --service house" in told

    still = run_sparktune("drift", "restore", "--undo", "--yes", limit_s=_LIMIT_S)
    assert (still.code, "spark1" in still.err, "--undo" in still.err) == (1, True, True), still.err

    pair.link()
    done = run_sparktune("drift", "restore", "--undo", "--yes", limit_s=_LIMIT_S)
    assert done.code == 0, done.err
    assert (pair.files, pair.limits()) == (before, ["1", "1"])
    assert "nothing of a restore is left" in run_sparktune("drift", "restore", "--undo", "--yes").err


def test_what_somebody_edited_on_a_lost_node_stays_and_is_told(pair: Pair) -> None:
    """Whoever mended the node edited its file: that is not ours to take back, nor to call it as it was."""
    pair.link(link_dies_at="COMMIT", refuses_new=True)
    file = pair.far.folder / "compose.yaml"
    failed = run_sparktune("drift", "restore", "LIMIT", "--yes", limit_s=_LIMIT_S)
    assert (failed.code, "--undo" in failed.err) == (1, True), failed.err
    assert 'LIMIT: "2"' in file.read_text(), "the link broke when the file was written"
    mended = file.read_text().replace("DEPTH:-3", "DEPTH:-7")
    file.write_text(mended)
    pair.link()

    done = run_sparktune("drift", "restore", "--undo", "--yes", limit_s=_LIMIT_S)

    assert done.code == 0, done.err
    told = " ".join(done.err.split())
    assert f"spark1: {file} was changed by somebody else meanwhile, and was left" in told
    assert "what the restore of LIMIT had set is taken back; the service was started again" in told
    assert file.read_text() == mended
    assert pair.limits() == ["2", "1"], "it was started as its file says"
