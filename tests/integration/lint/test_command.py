"""``sparktune lint`` as a person runs it: files of all kinds, together, bad ones, edits, and sparkrun beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

_RECIPE = """\
model: org/m
runtime: vllm
defaults:
  host: 127.0.0.1
  nobody: 1  # a rest of last week
  port: 8000
command: vllm serve {model} --host {host} --port {port}
"""


def test_a_clean_file_ends_with_0(tmp_path: Path) -> None:
    (tmp_path / "serve.sh").write_text("vllm serve m --host 127.0.0.1\n")

    done = run_sparktune("lint", str(tmp_path / "serve.sh"))

    assert (done.code, done.out) == (0, "nothing found in 1 file (vllm)\n")


def test_findings_have_place_line_reason_and_way_out(tmp_path: Path) -> None:
    path = tmp_path / "serve.sh"
    path.write_text("vllm serve m --host 127.0.0.1 \\\n  --gpu-memory-utilization 0.95\n")

    done = run_sparktune("lint", str(path))

    assert done.code == 3
    assert done.out.startswith("1 warning in 1 file (vllm)\n")
    assert f"WARNING  {path}:2  memory-fraction\n         | --gpu-memory-utilization 0.95\n" in done.out
    assert "why: CPU and GPU have one memory" in done.out
    assert "fix: see how much is free" in done.out


def test_files_are_read_together(tmp_path: Path) -> None:
    """A folder is a project of compose: its .env counts, and so do the files that a service names."""
    (tmp_path / "compose.yaml").write_text(
        "services:\n  vllm:\n    image: x/y:1\n    env_file: [node.env]\n    command: vllm serve m --host ${ADDRESS}\n"
    )
    (tmp_path / ".env").write_text("ADDRESS=127.0.0.1\n")
    (tmp_path / "node.env").write_text("\ufeffNCCL_IB_GID_INDEX=3\r\n")

    done = run_sparktune("lint", str(tmp_path), "--json")

    assert done.code == 3
    (pinned,) = [one for one in done.json["findings"] if one["rule"] == "pinned-gid"]
    assert (pinned["file"], pinned["line"]) == (str(tmp_path / "node.env"), 1)
    assert [Path(one["file"]).name for one in done.json["files"]] == ["compose.yaml", ".env", "node.env"]
    assert "open-listener" not in {one["rule"] for one in done.json["findings"]}
    assert "it belongs to" in done.err


def test_a_unit_with_its_drop_in_and_its_variables(tmp_path: Path) -> None:
    (tmp_path / "llama.service").write_text(
        "[Service]\nEnvironmentFile=llama.env\nExecStart=/usr/bin/llama-server -m x\n"
    )
    (tmp_path / "llama.service.d").mkdir()
    (tmp_path / "llama.service.d" / "10-more.conf").write_text("[Service]\nEnvironment=CUDA_VISIBLE_DEVICES=\n")

    done = run_sparktune("lint", str(tmp_path / "llama.service"), "--json")

    rules = {one["rule"] for one in done.json["findings"]}
    assert rules == {"empty-variable", "file-not-read", "mmap-on-gb10"}


def test_standard_input_and_json_shape(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sparktune", "lint", "-", "--json"],
        input=b"vllm serve m --gpu-memory-utilization 95\n",
        capture_output=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )

    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert (found["schema"], found["nodes"], found["facts"]) == (1, [], {})
    (one,) = [one for one in found["findings"] if one["severity"] == "error"]
    assert set(one) >= {"rule", "severity", "node", "file", "line", "evidence", "hint", "source"}
    assert (one["file"], one["line"], one["node"]) == ("-", 1, None)


@pytest.mark.parametrize(
    ("name", "data", "message", "hint"),
    [
        ("compose.yaml", b"services:\n  vllm:\n\timage: x\n", "compose.yaml:3: not readable as YAML", "tabs"),
        ("compose.yaml", b"services:\nvllm:\nimage: x\n", "compose.yaml:1: what belongs below", "indent"),
        ("compose.yaml", b"\x7fELF\x00\x00", "is no text: it has zero bytes", "a person wrote"),
        ("serve.sh", b"vllm serve \xff\n", "serve.sh:1: no UTF-8 text: byte 11 is 0xff", "UTF-8"),
        ("note.txt", b"Dear all,\nhello\n", "no kind of text that is known", "supported: compose file"),
        ("empty.yaml", b"", "empty", "supported: compose file"),
    ],
)
def test_what_cannot_be_read_ends_with_2(tmp_path: Path, name: str, data: bytes, message: str, hint: str) -> None:
    (tmp_path / name).write_bytes(data)

    done = run_sparktune("lint", str(tmp_path / name))

    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "hint: " in done.err
    assert hint in done.err


def test_what_is_not_there_ends_with_2(tmp_path: Path) -> None:
    for arguments in (
        [str(tmp_path / "none.yaml")],
        [str(tmp_path)],
        ["/dev/null"],
        [],
        ["x", "--fix", "--diff"],
        ["-", "--fix"],
        ["x", "--yes"],
    ):
        assert run_sparktune("lint", *arguments).code == 2, arguments


def test_an_unknown_engine_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text("model: org/m\nruntime: ds4-cuda\ncommand: mystery {model}\n")

    done = run_sparktune("lint", str(tmp_path / "r.yaml"), "--no-sparkrun")

    assert done.code == 0
    assert "r.yaml:3  unknown-engine" in done.out
    assert "no known engine is started by: mystery" in done.out


def test_edits_are_shown_and_nothing_else_changes(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(_RECIPE)
    path.chmod(0o640)

    shown = run_sparktune("lint", str(path), "--diff")

    assert shown.code == 0
    assert "-  nobody: 1  # a rest of last week\n" in shown.out
    assert path.read_text() == _RECIPE

    refused = run_sparktune("lint", str(path), "--fix")

    assert refused.code == 2
    assert "--yes" in refused.err
    assert path.read_text() == _RECIPE

    done = run_sparktune("lint", str(path), "--fix", "--yes")

    assert done.code == 0
    assert "nothing found" in done.out
    assert "-  nobody: 1  # a rest of last week\n" in done.err
    assert path.read_text() == _RECIPE.replace("  nobody: 1  # a rest of last week\n", "")
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["r.yaml"]


def test_secrets_are_in_nothing_that_is_printed(tmp_path: Path) -> None:
    secret = "gx10-very-secret-0123456789"  # noqa: S105
    path = tmp_path / "compose.yaml"
    path.write_text(
        "services:\n  vllm:\n    image: x/y:latest\n    environment:\n"
        f"      HF_TOKEN: {secret}\n      CUDA_VISIBLE_DEVICES: ''\n      VLLM_API_KEY: {secret}\n"
        f'    command: ["vllm", "serve", "m", "--api-key", "{secret}", "--api-key", "{secret}x",'
        ' "--gpu-memory-utilization", "0.95"]\n'
    )

    for arguments in ([], ["--json"], ["--diff"]):
        done = run_sparktune("lint", str(path), *arguments)
        assert secret not in done.out + done.err, arguments


_SPARKRUN = """\
#!/bin/sh
[ "$HF_HUB_OFFLINE$SPARKRUN_NO_TELEMETRY" = 11 ] || exit 9
echo '{"issues": [{"severity": "error", "code": "unknown-runtime", "summary": "no such", "fix": "f"}]}'
exit 1
"""


def test_what_sparkrun_says_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "sparkrun").write_text(_SPARKRUN)
    (tools / "sparkrun").chmod(0o755)
    (tmp_path / "r.yaml").write_text(_RECIPE)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")

    done = run_sparktune("lint", str(tmp_path / "r.yaml"), "--json")

    (said,) = [one for one in done.json["findings"] if one["rule"] == "sparkrun-validate"]
    assert (said["severity"], said["source"]) == ("error", "sparkrun recipe validate, unknown-runtime")
    assert said["evidence"] == "unknown-runtime: no such"
    assert done.json["notes"] == []


def test_without_sparkrun_there_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.yaml").write_text(_RECIPE)
    monkeypatch.setenv("PATH", "/nonexistent")

    done = run_sparktune("lint", str(tmp_path / "r.yaml"))

    assert done.code == 3
    assert "note: sparkrun is not on PATH" in done.err
