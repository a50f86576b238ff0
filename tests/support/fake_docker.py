"""A docker for tests: containers are processes of this machine, in the files of a folder; ``fake_docker(FOLDER)``.

It knows what the launching of services asks for: ``compose -f FILE up|stop``, ``start``, ``stop``, ``kill``, ``ps``,
``inspect``, ``logs`` and ``exec ID cat``. A compose file here is JSON: the name of the container, its labels, ``argv``
and ``env``. As with the real one, a container that runs keeps what it was made with, whatever the file says now, unless
it is made anew. Its first process is a shell, as with images that start by a script.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["fake_docker"]

_HERE = Path(os.environ.get("FAKE_DOCKER", "/nonexistent"))
_NEVER = "0001-01-01T00:00:00Z"


def fake_docker(folder: Path) -> Path:
    """Write a program of the name ``docker`` and return the folder that it is in, for the PATH."""
    programs, state = folder / "programs", folder / "containers"
    programs.mkdir()
    state.mkdir()
    script = f'#!/bin/sh\nFAKE_DOCKER={state} exec {sys.executable} -S {__file__} "$@"\n'
    (programs / "docker").write_text(script)
    (programs / "docker").chmod(0o755)
    return programs


def _all() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(_HERE.glob("*.json"))]


def _keep(one: dict[str, Any]) -> None:
    draft = _HERE / f"{one['Id']}.new"
    draft.write_text(json.dumps(one))
    draft.replace(_HERE / f"{one['Id']}.json")


def _alive(one: dict[str, Any]) -> bool:
    with suppress(OSError):
        stat = Path(f"/proc/{one['pid']}/stat").read_text()
        fields = stat[stat.rfind(")") + 1 :].split()
        return fields[0] not in "ZX" and int(fields[19]) == one["ticks"]
    return False


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() % 10**9:09}Z"


def _begin(one: dict[str, Any]) -> None:
    log, code = _HERE / f"{one['Id']}.log", _HERE / f"{one['Id']}.code"
    code.unlink(missing_ok=True)
    with log.open("ab") as out:
        child = subprocess.Popen(
            ["/bin/sh", "-c", '"$@"; echo $? > "$CODE"', "sh", *one["argv"]],
            env={**{k: v for k, v in os.environ.items() if k != "FAKE_DOCKER"}, **one["env"], "CODE": str(code)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    stat = Path(f"/proc/{child.pid}/stat").read_text()
    one |= {"pid": child.pid, "ticks": int(stat[stat.rfind(")") + 1 :].split()[19]), "started": _now(), "ended": _NEVER}
    _keep(one)


def _end(one: dict[str, Any], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        if _alive(one):
            os.killpg(one["pid"], number)
    until = time.monotonic() + 20
    while _alive(one) and time.monotonic() < until:
        time.sleep(0.02)
    if number is signal.SIGKILL or not (_HERE / f"{one['Id']}.code").exists():
        (_HERE / f"{one['Id']}.code").write_text(str(128 + number))
    _keep({**one, "ended": _now()})


def _compose(words: list[str]) -> None:
    given = json.loads(Path(words[words.index("-f") + 1]).read_text())
    identity = hashlib.sha256(given["name"].encode()).hexdigest()
    old = next((one for one in _all() if one["name"] == given["name"]), None)
    if "stop" in words:
        if old:
            _end(old, signal.SIGTERM)
        return
    if old and _alive(old):
        if "--force-recreate" not in words:
            return
        _end(old, signal.SIGTERM)
    made = hashlib.sha256(f"{identity}{_now()}".encode()).hexdigest()
    if old:
        for path in _HERE.glob(f"{old['Id']}.*"):
            path.unlink()
    image = "sha256:" + hashlib.sha256(b"image").hexdigest()
    _begin({"Id": made, "Image": image, **given})


def _inspected(one: dict[str, Any]) -> dict[str, Any]:
    alive, code = _alive(one), _HERE / f"{one['Id']}.code"
    return {
        "Id": one["Id"],
        "Name": f"/{one['name']}",
        "Image": one["Image"],
        "Config": {"Labels": one["labels"], "Cmd": one["argv"], "Env": [f"{k}={v}" for k, v in one["env"].items()]},
        "State": {
            "Status": "running" if alive else "exited",
            "Pid": one["pid"] if alive else 0,
            "ExitCode": int(code.read_text() or 0) if not alive and code.exists() else 0,
            "OOMKilled": False,
            "StartedAt": one["started"],
            "FinishedAt": _NEVER if alive else one["ended"],
        },
        "HostConfig": {"RestartPolicy": {"Name": "no"}},
        "NetworkSettings": {"Ports": {}},
    }


def main(words: list[str]) -> int:
    """Do what the command says."""
    if words[0] == "compose":
        _compose(words)
        return 0
    if words[0] == "ps":
        labels = [word.removeprefix("label=").partition("=")[::2] for word in words if word.startswith("label=")]
        for one in _all():
            fits = all(one["labels"].get(name) == value for name, value in labels)
            if fits and ("-aq" in words or _alive(one)):
                sys.stdout.write(f"{one['Id']}\n")
        return 0
    chosen = [one for one in _all() if any(one["Id"].startswith(word) or one["name"] == word for word in words[1:])]
    if words[0] == "inspect":
        json.dump([_inspected(one) for one in chosen], sys.stdout)
        return 0
    for one in chosen:
        if words[0] == "logs":
            sys.stdout.write((_HERE / f"{one['Id']}.log").read_text())
        elif words[0] in {"stop", "kill"}:
            _end(one, signal.SIGKILL if words[0] == "kill" else signal.SIGTERM)
        elif words[0] == "start" and not _alive(one):
            _begin(one)
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
