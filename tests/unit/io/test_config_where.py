"""What ``sparktune.yaml`` says of where a service is: refused here as its launcher would, with file and line."""

import json
from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.config import Config, load_config

_SERVICE = "services:\n  house:\n    endpoint: http://localhost:8000/v1\n"


def _loaded(folder: Path, text: str) -> Config:
    path = folder / "sparktune.yaml"
    path.write_text(_SERVICE + text)
    return load_config(path)


@pytest.mark.parametrize(
    ("launcher", "where"),
    [
        ("compose", {"node": "spark1", "file": "/srv/compose.yaml", "service": "vllm"}),
        ("systemd", {"node": "spark1", "unit": "vllm.service", "log": "/var/log/vllm.log"}),
        ("attach", None),
    ],
)
def test_what_the_launcher_takes_is_taken(tmp_path: Path, launcher: str, where: dict[str, str] | None) -> None:
    text = f"    launcher: {launcher}\n" + (f"    where: [{json.dumps(where)}]\n" if where else "")
    (service,) = _loaded(tmp_path, text).services.values()

    assert (service.launcher, service.where) == (launcher, (where,) if where else ())


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("    launcher: compsoe\n", 4, "compsoe"),
        ("    launcher: compose\n    where: [{node: spark1, file: /srv/compose.yaml}]\n", 5, "service"),
        ("    launcher: systemd\n    where: [{node: spark1, unti: vllm.service}]\n", 5, "unti"),
        ("    where: [{node: spark1, unit: vllm.service}]\n", 4, "launcher"),
        ("    launcher: attach\n    where: [{node: spark1}]\n", 5, "where"),
    ],
)
def test_what_it_refuses_is_an_error_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(UsageError, match=words) as error:
        _loaded(tmp_path, text)

    assert f"sparktune.yaml:{line}" in str(error.value)
    assert error.value.hint
