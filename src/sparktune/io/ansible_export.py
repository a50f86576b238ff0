"""Plans as files for Ansible: playbooks, inventory, the agent, and what it is asked to do on each node."""

__all__ = ["ansible_request", "check_exportable", "write_export"]

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparktune.errors import UsageError
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Request, encode_request_of
from sparktune.io.transport.package import agent_archive
from sparktune.model.host_plan import NodePlan
from sparktune.units import Seconds

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]*", re.ASCII)
_CONFIRM_WITHIN_S: Seconds = 120.0
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600


def check_exportable(targets: Sequence[NodeTarget], folder: Path) -> None:
    """Find out now whether the nodes can be in an inventory, and the folder be written. Raises UsageError."""
    for target in targets:
        if target.root is not None:
            message = f"{target.name} is a captured tree, which Ansible cannot reach"
            raise UsageError(message, hint="name nodes as ssh knows them: --nodes spark1,spark2")
        for name in (target.name, target.host or "local"):
            if not _NAME.fullmatch(name):
                message = f"{name!r} cannot be a name in an inventory: Ansible takes it for a pattern or a port"
                raise UsageError(message, hint="give it a plain name in ~/.ssh/config")
    try:
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        message = f"{folder} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="name a new folder") from None
    if taken:
        message = f"{folder} is there already and not an empty folder"
        raise UsageError(message, hint="name a new folder: nothing is ever overwritten")


def ansible_request(plan: NodePlan, who: str) -> dict[str, Any]:
    """Return what the agent is asked for.

    A playbook is run at any time, so that it is bound to what the plan saw and not to that boot: each value that is to
    be changed has to be as it was, or already as wanted.
    """
    cuts_off = any(planned.cuts_off for planned in plan.steps)
    request = Request(
        plan=plan, who=who, label="ansible", confirm_within_s=_CONFIRM_WITHIN_S if cuts_off else None, wait_s=60.0
    )
    return {**encode_request_of(request), "boot_id": ""}


def write_export(folder: Path, texts: Mapping[str, str], requests: Mapping[str, dict[str, Any]]) -> None:
    """Write texts by their file names, the agent, and a plan per node. Raises UsageError.

    The folder is there whole or not at all, and for its owner alone: plans have whole compose files in them, and those
    may have passwords.
    """
    plans = {f"plans/{node}.json": json.dumps(asked, indent=2, ensure_ascii=False) for node, asked in requests.items()}
    files = {name: text.encode() for name, text in texts.items()}
    files |= {name: f"{text}\n".encode() for name, text in plans.items()}
    target = folder.resolve()
    draft = target.with_name(f".sparktune-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir(mode=_PRIVATE_FOLDER)
        (draft / "plans").mkdir(mode=_PRIVATE_FOLDER)
        for name, data in {**files, "agent.pyz": agent_archive()}.items():
            _write(draft / name, data)
        draft.rename(target)  # over an empty folder, if there is one
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        message = f"{folder} cannot be written: {error.strerror or error}"
        raise UsageError(message, hint="name a folder that you may write to and that has space") from None
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE_FILE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
