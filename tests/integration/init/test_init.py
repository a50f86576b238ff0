"""``sparktune init`` in a folder and a home of its own; servers are real ones on loopback."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

from sparktune.cli import _init
from sparktune.errors import UsageError
from sparktune.io.config import load_config
from sparktune.io.discovery import discover
from sparktune.model.discovery import Discovery, FoundServer


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home with one sparkrun cluster, one that is broken, and an ssh configuration; stand in a new folder."""
    clusters = tmp_path / "home/.config/sparkrun/clusters"
    clusters.mkdir(parents=True)
    (clusters / "duo.yaml").write_text("name: duo\nhosts: [spark1, spark2]\nuser: nv\n")
    (clusters / "zz.yaml").write_text("hosts: 5\n")
    (tmp_path / "home/.ssh").mkdir()
    (tmp_path / "home/.ssh/config").write_text('Host spark1 "spark2" *.lan !no\nhost=jump # x\nMatch all\n')
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "home"


class _Models(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": "m"}]})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_arguments: object) -> None:
        """Keep quiet."""


@pytest.fixture
def port() -> Iterator[int]:
    """Serve a list of models."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Models) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_it_writes_what_it_shows(tmp_path: Path) -> None:
    done = run_sparktune("init", "--yes")

    path = tmp_path / "here/sparktune.yaml"
    assert done.code == 0
    assert path.read_text() == done.out
    assert [(node.name, node.host) for node in load_config(path).nodes] == [
        ("spark1", "nv@spark1"),
        ("spark2", "nv@spark2"),
    ]
    assert "# ssh knows: spark1, spark2, jump\n" in done.out
    assert "zz.yaml:1: hosts" in done.err


def test_it_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "here/sparktune.yaml").write_text("nodes: [mine]\n")

    done = run_sparktune("init", "--yes")

    assert done.code == 2
    assert "is there already" in done.err
    assert (tmp_path / "here/sparktune.yaml").read_text() == "nodes: [mine]\n"


def test_what_somebody_wrote_while_it_looked_around_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the look and the writing is a question, and nobody knows how long that is."""
    path = tmp_path / "here/sparktune.yaml"

    def meanwhile() -> Discovery:
        path.write_text("nodes: [mine]\n")
        return discover(())

    monkeypatch.setattr(_init, "discover", meanwhile)
    with pytest.raises(UsageError, match="written by somebody else meanwhile"):
        _init.run_init(yes=True, dry_run=False)

    assert path.read_text() == "nodes: [mine]\n"
    assert [one.name for one in path.parent.iterdir()] == ["sparktune.yaml"]
    assert "wrote /" not in capsys.readouterr().err


def test_without_a_terminal_it_shows_and_writes_nothing(tmp_path: Path) -> None:
    done = run_sparktune("init")

    assert done.code == 2
    assert "nodes:" in done.out
    assert "add --yes" in done.err
    assert not (tmp_path / "here/sparktune.yaml").exists()


def test_a_dry_run_is_no_fault_and_names_the_file_above(tmp_path: Path) -> None:
    (tmp_path / "sparktune.yaml").write_text("nodes: [mine]\n")

    done = run_sparktune("init", "--dry-run")

    assert done.code == 0
    assert f"until now {tmp_path / 'sparktune.yaml'} counts here" in done.err
    assert not (tmp_path / "here/sparktune.yaml").exists()


def test_servers_are_found_by_asking_them(port: int) -> None:
    assert discover((port,)).servers == (FoundServer(endpoint=f"http://127.0.0.1:{port}/v1", models=("m",)),)


def test_what_answers_otherwise_is_no_server(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Models, "do_GET", lambda handler: handler.send_error(404))

    assert discover((port, 1)).servers == ()


def test_a_home_without_anything(home: Path) -> None:
    (home / ".ssh/config").unlink()

    assert discover(()).ssh_names == ()
