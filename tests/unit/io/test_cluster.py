"""Which nodes are meant, from the command line, the user's file, or a sparkrun cluster."""

from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.cluster import NodeTarget, find_nodes, sparkrun_clusters
from sparktune.io.config import Config, NodeConfig


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own sparkrun clusters out of the tests."""
    folder = tmp_path / "home"
    (folder / ".config/sparkrun/clusters").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def _cluster(home: Path, name: str, text: str) -> None:
    (home / f".config/sparkrun/clusters/{name}.yaml").write_text(text)


def _config(path: Path, *nodes: NodeConfig) -> Config:
    return Config(path=path / "sparktune.yaml", nodes=nodes)


def test_this_machine_unless_something_else_is_said() -> None:
    assert find_nodes((), None) == (NodeTarget(name="local"),)


def test_the_nodes_of_the_file_unless_the_command_names_some(tmp_path: Path) -> None:
    config = _config(tmp_path, NodeConfig(name="spark1"), NodeConfig(name="spark2", host="me@10.0.0.2"))

    assert find_nodes((), config) == (
        NodeTarget(name="spark1", host="spark1"),
        NodeTarget(name="spark2", host="me@10.0.0.2"),
    )
    assert find_nodes(("spark2", "other"), config) == (
        NodeTarget(name="spark2", host="me@10.0.0.2"),
        NodeTarget(name="other", host="other"),
    )


def test_a_slash_makes_a_captured_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab/spark1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert find_nodes(("lab/spark1",), None) == (NodeTarget(name="spark1", root=Path("lab/spark1")),)


def test_a_folder_of_the_file_counts_from_the_file(tmp_path: Path) -> None:
    """Else the file would work in one folder only."""
    (tmp_path / "lab/spark1").mkdir(parents=True)
    config = _config(tmp_path, NodeConfig(name="one", host="lab/spark1"))

    assert find_nodes((), config) == (NodeTarget(name="one", root=tmp_path / "lab/spark1"),)


def test_a_sparkrun_cluster_is_its_hosts(home: Path) -> None:
    _cluster(home, "duo", "name: duo\nhosts: [127.0.0.1, 10.0.0.2]\nuser: nv\nscheduler: x\n")
    _cluster(home, "plain", "hosts: [a]\n")
    _cluster(home, "duo.manifest", "hosts: [no]\n")

    assert sparkrun_clusters() == ("duo", "plain")
    assert find_nodes(("sparkrun:duo",), None) == (
        NodeTarget(name="127.0.0.1"),
        NodeTarget(name="10.0.0.2", host="nv@10.0.0.2"),
    )
    assert find_nodes(("sparkrun:plain",), None) == (NodeTarget(name="a", host="a"),)


@pytest.mark.parametrize(
    ("named", "message", "hint"),
    [
        (("a", "a"), "the node a is named twice", "name every node once"),
        (("no/such",), "no/such is no folder", "sparktune lab init"),
        (("-oProxyCommand=x",), "is no name of a node", "--nodes spark1,spark2"),
        (("sparkrun:none",), "there is no sparkrun cluster 'none'", "known: bad, empty"),
        (("sparkrun:../x",), "there is no sparkrun cluster", "known"),
        (("sparkrun:bad",), "bad.yaml:1: hosts: a list of host names", "sparkrun cluster show"),
        (("sparkrun:empty",), "empty.yaml: hosts: a list of host names", "sparkrun cluster show"),
    ],
)
def test_what_cannot_be_a_node(home: Path, named: tuple[str, ...], message: str, hint: str) -> None:
    _cluster(home, "bad", "hosts: 5\n")
    _cluster(home, "empty", "user: a\n")

    with pytest.raises(UsageError) as caught:
        find_nodes(named, None)

    assert message in str(caught.value)
    assert hint in caught.value.hint
