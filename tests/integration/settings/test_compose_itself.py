"""Variables and command of a service are what docker compose itself makes of the same files."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sparktune.deploy.settings.view import view_of
from sparktune.formats.kinds import read_text

_DOCKER = shutil.which("docker") or ""
_NAMES = ("A", "B", "C", "D_E", "X")
_DEFAULTS = ("", "1", "x y", "${B}", "${C:-z}", "-v", '{"a":1}')
_SIGNS = (":-", "-", ":+", "+")
_VALUES = ("", "1", '"q r"', "'s ${A} t'", "a # c", "a#b", '"${A}x"', "${A:-d}", " lead", '"esc\\nn"', "''", "a b")
_PROJECTS = 6


def _compose_is_there() -> bool:
    asked = [_DOCKER, "compose", "version"]
    return bool(_DOCKER) and subprocess.run(asked, capture_output=True, check=False, timeout=60).returncode == 0


def _reference(chance: random.Random) -> str:
    name = chance.choice(_NAMES)
    filled = f"${{{name}{chance.choice(_SIGNS)}{chance.choice(_DEFAULTS)}}}"
    return chance.choice((f"${name}", f"${{{name}}}", filled, filled, "$$", "$$X", "lit"))


def _text(chance: random.Random) -> str:
    return "".join(chance.choice((_reference(chance), "a", "b", "=", "-")) for _ in range(chance.randint(0, 3)))


def _file(chance: random.Random) -> str:
    lines = []
    for _ in range(chance.randint(0, 4)):
        name, value = chance.choice(_NAMES), chance.choice(_VALUES)
        lines.append(chance.choice((f"{name}={value}", f"{name}={value}", f"export {name}={value}", f"# {name}=x")))
    return "\n".join((*lines, ""))


def _word(chance: random.Random) -> str:
    one = _reference(chance)
    return chance.choice((one, f'"{one}"', f"'{one}'", f"{one}z"))


def _project(chance: random.Random) -> dict[str, str]:
    words = ["vllm", "serve", "M"]
    for _ in range(chance.randint(0, 3)):
        words += [f"--{chance.choice(('port', 'host', 'seed'))}", _word(chance)]
    command = " ".join(words)
    service: dict[str, Any] = {
        "image": "vllm",
        "env_file": ["f.env"],
        "environment": {name: _text(chance) for name in chance.sample(_NAMES, chance.randint(0, 4))},
        "command": command.split(" ") if chance.random() < 0.4 else command,
    }
    return {
        "compose.yaml": json.dumps({"services": {"s": service}}),
        ".env": _file(chance),
        "f.env": _file(chance),
    }


def _said_by_compose(folder: Path) -> dict[str, Any] | None:
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [_DOCKER, "compose", "config", "--format", "json"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return json.loads(done.stdout)["services"]["s"] if done.returncode == 0 else None


@pytest.mark.skipif(not _compose_is_there(), reason="docker compose is not installed")
@pytest.mark.parametrize("seed", range(4))
def test_a_service_is_what_compose_makes_of_it(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    compared = 0
    for place in range(_PROJECTS):
        folder = tmp_path / f"project{place}"
        folder.mkdir()
        files = _project(chance)
        for name, text in files.items():
            (folder / name).write_text(text)
        real = _said_by_compose(folder)
        if real is None:  # compose refuses the files
            continue
        (part,) = view_of([read_text(name, text) for name, text in files.items()]).parts
        mine = {name: one.value for name, one in part.environment.items() if one.value is not None}
        theirs = {
            name: said.replace("$$", "$") for name, said in (real.get("environment") or {}).items() if said is not None
        }
        assert mine == theirs, files
        assert part.command is not None
        assert [word.text for word in part.command.words] == [word.replace("$$", "$") for word in real["command"]], (
            files
        )
        compared += 1
    assert compared
