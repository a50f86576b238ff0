"""Two names of this machine, on the real way there: as a child process, and by ssh over the loopback."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.sshd import Node, sshd

_STEP = {"kind": "value", "path": "/proc/sys/vm/swappiness", "text": "60"}


@pytest.fixture(name="here")
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Serve this machine as spark1 and as alias, from an empty folder."""
    with sshd({"spark1": Node(), "alias": Node()}) as server:
        monkeypatch.setenv("SPARKTUNE_SSH", server.ssh)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(server.folder))
        monkeypatch.chdir(tmp_path)
        yield tmp_path


def _experiment(folder: Path) -> None:
    steps = [{"node": name, **_STEP} for name in ("spark1", "alias")]
    content = {"url": "http://127.0.0.1:9/v1", "launcher": "hot", "a": {}, "b": {"steps": steps}, "settle_s": 0}
    (folder / "both.yaml").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("host", "plan", "--nodes", "local,spark1"), "local and spark1"),
        (("host", "plan", "--nodes", "spark1,alias"), "spark1 and alias"),
        (("host", "revert", "--nodes", "spark1,alias", "--yes"), "spark1 and alias"),
        (("place", "pin", "--nodes", "local,spark1", "--dry-run"), "local and spark1"),
        (("place", "unpin", "--nodes", "local,alias", "--dry-run"), "local and alias"),
        (("ab", "both.yaml", "--dry-run"), "spark1 and alias"),
    ],
    ids=" ".join,
)
def test_what_changes_machines_refuses_a_host_that_is_named_twice(
    here: Path, words: tuple[str, ...], names: str
) -> None:
    _experiment(here)

    done = run_sparktune(*words)

    assert done.code == 2, done.out + done.err
    assert f"{names} are one host: both call themselves" in done.err
    assert "hint: name it once" in done.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("doctor", "--nodes", "local,spark1,alias", "--json"), 1),
        (("host", "verify", "--nodes", "local,alias", "--json"), 1),
        (("host", "status", "--nodes", "spark1,alias", "--json"), 1),
        (("place", "status", "--nodes", "local,spark1,alias", "--json"), 1),
        (("place", "scan", "--nodes", "local,alias", "--windows", "1", "--window", "1s", "--json"), 1),
        (("watch", "--nodes", "spark1,alias", "--count", "1", "--interval", "0.2", "--json"), 1),
    ],
    ids=["doctor", "host verify", "host status", "place status", "place scan", "watch"],
)
def test_what_only_looks_shows_the_host_once_and_says_so(words: tuple[str, ...], count: int) -> None:
    done = run_sparktune(*words)

    assert "note: alias is left out: it is " in done.err, done.err
    lines = [json.loads(line) for line in done.out.splitlines()] if words[0] == "watch" else [json.loads(done.out)]
    names = {line["node"] for line in lines} if words[0] == "watch" else {one["node"] for one in lines[0]["nodes"]}
    assert len(names) == count


@pytest.mark.parametrize(
    "words",
    [
        ("status", "--within", "60s", "--json"),
        ("drift", "--json"),
        ("export", "prometheus", "--json"),
        ("lint", "node.env", "--node", "spark1,alias", "--json"),
    ],
    ids=lambda words: words[0],
)
def test_what_asks_much_at_once_shows_both_names_and_says_that_they_are_one(here: Path, words: tuple[str, ...]) -> None:
    """Who is who is known when all has been read, and no login is spent on it: but two machines they are not."""
    service = {
        "endpoint": "http://127.0.0.1:9/v1",
        "launcher": "systemd",
        "where": [{"node": "spark1", "unit": "no.service"}],
    }
    (here / "sparktune.yaml").write_text(json.dumps({"nodes": ["spark1", "alias"], "services": {"chat": service}}))
    (here / "node.env").write_text("NCCL_IB_HCA=rocep1s0f1\n")

    done = run_sparktune(*words)

    assert done.err.count("note: alias is spark1 by another name (both call themselves ") == 1, done.err
    json.loads(done.out)
