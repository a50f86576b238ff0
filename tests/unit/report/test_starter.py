"""The first sparktune.yaml can be read back, and says what was found."""

import re
from pathlib import Path

import pytest

from sparktune.io.config import load_config
from sparktune.model.discovery import Discovery, FoundCluster, FoundServer
from sparktune.report.starter import starter_config

_DUO = FoundCluster(name="duo", nodes=(("127.0.0.1", None), ("10.0.0.2", "nv@10.0.0.2"), ("c", "c")))
_ONE = FoundServer(endpoint="http://127.0.0.1:8000/v1", models=("org/model: x",))
_MANY = FoundServer(endpoint="http://127.0.0.1:8080/v1", models=("a", "b"))
_NONE = FoundServer(endpoint="http://127.0.0.1:30000/v1", models=())


@pytest.mark.parametrize(
    ("found", "nodes", "services"),
    [
        (Discovery(), [("local", None)], {}),
        (
            Discovery(clusters=(_DUO, FoundCluster(name="other", nodes=(("x", "x"),))), ssh_names=("a", "b")),
            [("127.0.0.1", "local"), ("10.0.0.2", "nv@10.0.0.2"), ("c", None)],
            {},
        ),
        (Discovery(servers=(_ONE,)), [("local", None)], {"main": "org/model: x"}),
        (
            Discovery(servers=(_MANY, _ONE, _NONE)),
            [("local", None)],
            {"main": None, "server2": "org/model: x", "server3": None},
        ),
    ],
)
def test_it_can_be_read_back(
    found: Discovery, nodes: list[tuple[str, str | None]], services: dict[str, str | None], tmp_path: Path
) -> None:
    path = tmp_path / "sparktune.yaml"
    path.write_text(starter_config(found))

    config = load_config(path)

    assert [(node.name, node.host) for node in config.nodes] == nodes
    assert {name: service.model for name, service in config.services.items()} == services
    assert list(config.workloads) == ["short"]


def test_other_choices_stand_in_comments() -> None:
    text = starter_config(
        Discovery(clusters=(_DUO, FoundCluster(name="other", nodes=(("x", "x"),))), ssh_names=("a",), servers=(_MANY,))
    )

    assert "# ssh knows: a\n" in text
    assert "# sparkrun's cluster other: x\n" in text
    assert '# it serves "a", "b"; choose one:' in text


@pytest.mark.parametrize("found", [Discovery(), Discovery(servers=(_ONE,)), Discovery(servers=(_MANY, _NONE))])
def test_what_stands_in_comments_can_be_used_as_it_is(found: Discovery, tmp_path: Path) -> None:
    """Whoever takes the comment signs away gets a service that ab, sweep and drift can start."""
    path = tmp_path / "sparktune.yaml"
    shown = starter_config(found)
    used = re.sub(r"^# (services:|  main:|    \w+: .*)$", r"\1", shown, flags=re.MULTILINE)
    path.write_text(re.sub(r"^    # (launcher|where): ", r"    \1: ", used, flags=re.MULTILINE))

    service = load_config(path).services["main"]

    assert service.launcher == "compose"
    assert service.where
