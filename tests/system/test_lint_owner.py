"""Edits of ``lint --fix`` leave a file to whom it belongs, also when root makes them."""

import os
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

pytestmark = pytest.mark.root  # only root can give a file to somebody else

_NOBODY = 65534


def test_owner_and_mode_stay(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(
        "model: m\nruntime: vllm\ndefaults: {a: 1, host: '::1'}\ncommand: vllm serve {model} --host {host}\n"
    )
    path.chmod(0o640)
    os.chown(path, _NOBODY, _NOBODY)

    done = run_sparktune("lint", str(path), "--fix", "--yes", "--no-sparkrun")

    assert done.code == 0, done.err
    assert "a: 1" not in path.read_text()
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (_NOBODY, _NOBODY, 0o640)
