"""What nodes, files and logs hold of secrets is in nothing that a command prints, keeps or writes.

Secrets are planted where people have them: in variables and command lines of processes and containers, in compose
files, units, recipes and scripts, in addresses with logins, in log lines. Every command that shows such text is run.
"""

from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

_SECRETS = {
    name: f"gx10{name}{number}veryS3cretValue"
    for number, name in enumerate(("token", "flag", "password", "cookie", "bearer"), start=1234567890)
}
_ENVIRONMENT = (
    f"HF_TOKEN={_SECRETS['token']}",
    f"VLLM_API_KEY={_SECRETS['flag']}",
    f"NCCL_SOCKET_URL=http://user:{_SECRETS['password']}@host/",
    f"SESSION_COOKIE={_SECRETS['cookie']}",
)
_SERVE = f"vllm serve lab-model --api-key {_SECRETS['flag']} --tensor-parallel-size 2 --max-num-seqs 6"
_COMPOSE = f"""\
services:
  vllm:
    image: user:{_SECRETS["password"]}@registry.example/vllm:1
    environment:
      HF_TOKEN: {_SECRETS["token"]}
      NCCL_IB_GID_INDEX: ""
      HTTPS_PROXY: http://user:{_SECRETS["password"]}@proxy:3128
    command: {_SERVE} --headers "Authorization Bearer {_SECRETS["bearer"]}"
"""
_UNIT = f"""\
[Service]
Environment=HF_TOKEN={_SECRETS["token"]} NCCL_IB_GID_INDEX=
ExecStart=/usr/bin/{_SERVE}
"""
_LOG = f"""\
INFO 11-30 10:00:00 [api.py:1] args: {{'api_key': ['{_SECRETS["flag"]}'], 'hf_token': '{_SECRETS["token"]}', 'x': 1}}
INFO 11-30 10:00:01 [hub.py:1] GET https://user:{_SECRETS["password"]}@hub.example/m
INFO 11-30 10:00:01 [hub.py:2] Authorization: Bearer {_SECRETS["bearer"]}
ERROR 11-30 10:00:02 [core.py:1] RuntimeError: cannot log in with --hf-token {_SECRETS["token"]}
ERROR 11-30 10:00:03 [core.py:1] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster with secrets in it, and files with secrets in them."""
    folder = tmp_path_factory.mktemp("planted")
    assert run_sparktune("lab", "init", str(folder / "lab")).code == 0
    for node in (folder / "lab/spark1", folder / "lab/spark2"):
        _plant(node)
    (folder / "compose.yaml").write_text(_COMPOSE)
    (folder / "vllm.service").write_text(_UNIT)
    (folder / "serve.sh").write_text(f"export HF_TOKEN={_SECRETS['token']}\n{_SERVE}\n")
    (folder / "head.log").write_text(_LOG)
    return folder


def _plant(node: Path) -> None:
    for environ in (node / "proc").glob("*/environ"):
        environ.write_bytes(environ.read_bytes() + "".join(f"{one}\0" for one in _ENVIRONMENT).encode())
        words = environ.with_name("cmdline").read_bytes()
        if b"serve" in words:
            environ.with_name("cmdline").write_bytes(words + f"--api-key\0{_SECRETS['flag']}\0".encode())
    inspect = node / "commands/docker-inspect.txt"
    listed = ",".join(f'"{one}"' for one in _ENVIRONMENT)
    text = inspect.read_text().replace('"Env":[', f'"Env":[{listed},')
    inspect.write_text(text.replace('"Cmd":["vllm",', f'"Cmd":["vllm","--api-key","{_SECRETS["flag"]}",'))
    assert _SECRETS["token"] in inspect.read_text()
    assert _SECRETS["flag"] in inspect.read_text()


@pytest.fixture
def folder(planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands run; what they keep goes to ``data``."""
    monkeypatch.chdir(planted)
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "data"))
    return tmp_path


_NODES = ("--nodes", "lab/spark1,lab/spark2")
_COMMANDS = [
    ("doctor", *_NODES),
    ("doctor", *_NODES, "--json"),
    ("lint", "compose.yaml"),
    ("lint", "compose.yaml", "vllm.service", "serve.sh", "--json"),
    ("lint", "compose.yaml", "--node", "lab/spark1"),
    ("logs", "head.log"),
    ("logs", "head.log", "--json"),
    ("host", "plan", *_NODES, "--allow-slow", "--explain"),
    ("host", "plan", *_NODES, "--allow-slow", "--json"),
    ("host", "verify", *_NODES),
    ("render", "compose.yaml"),
    ("bench", f"http://user:{_SECRETS['password']}@127.0.0.1:9/v1"),
    ("bench", f"http://127.0.0.1:9/v1?api_key={_SECRETS['flag']}"),
    ("check", "head.log"),
]


@pytest.mark.parametrize("command", _COMMANDS, ids=" ".join)
def test_no_secret_is_printed_or_kept(command: tuple[str, ...], folder: Path) -> None:
    done = run_sparktune(*command)
    printed = done.out + done.err

    assert printed.strip()
    assert "is no option of" not in printed, printed
    assert [name for name, secret in _SECRETS.items() if secret in printed] == [], printed
    kept = [path for path in (folder / "data").rglob("*") if path.is_file()]
    assert [path for path in kept for secret in _SECRETS.values() if secret.encode() in path.read_bytes()] == []
