"""What ``sparktune.yaml`` says of where a service is: refused here as its launcher would, with file and line."""

from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.config import load_config

_SERVICE = "services:\n  house:\n    endpoint: http://localhost:8000/v1\n"


def _loaded(folder: Path, text: str) -> None:
    path = folder / "sparktune.yaml"
    path.write_text(_SERVICE + text)
    load_config(path)


@pytest.mark.parametrize(
    "text",
    [
        "    launcher: compose\n    where: [{node: spark1, file: /srv/compose.yaml, service: vllm}]\n",
        "    launcher: systemd\n    where: [{node: spark1, unit: vllm.service, log: /var/log/vllm.log}]\n",
        "    launcher: attach\n",
    ],
)
def test_what_the_launcher_takes_is_taken(tmp_path: Path, text: str) -> None:
    _loaded(tmp_path, text)


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
