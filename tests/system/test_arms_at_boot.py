"""A setting that counts at a boot as an arm, on a node with a real systemd: written, booted, read live, taken back."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.ab import GUARD, write_experiment
from tests.support.cli import Finished, run_sparktune
from tests.support.nspawn import BootedNode
from tests.support.reference import reference, reference_process

from sparktune.io.reference.process import ReferenceProcess

__all__ = ["reference", "reference_process"]

pytestmark = [
    pytest.mark.root,
    pytest.mark.slow,
    pytest.mark.timeout(500),  # the node boots three times
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to tell the arms apart"),
]
_FILE = "/etc/systemd/system.conf.d/50-arm.conf"
_ALLOWED = "$SPARKTUNE_SSH spark-test grep Cpus_allowed_list /proc/1/status | tr -dc 0-9,-"


@contextmanager
def _powered(node: BootedNode) -> Iterator[list[str]]:
    """Start the node again whenever it goes down, as a machine's power supply does; yield the boots that there were."""
    boots, over = [node.boot_id()], threading.Event()

    def supply() -> None:
        while not over.wait(0.2):
            process = node._process
            if process is not None and process.poll() is not None:
                node.kernel.restore()
                node.start()
                boots.append(node.boot_id())

    thread = threading.Thread(target=supply)
    thread.start()
    try:
        yield boots
    finally:
        over.set()
        thread.join()


def _content(node: BootedNode, url: str) -> dict[str, Any]:
    step = {"node": node.name, "kind": "file", "path": _FILE, "text": "[Manager]\nCPUAffinity=0\n"}
    every = node.run("grep Cpus_allowed_list /proc/1/status | tr -dc 0-9,-").strip()
    return {
        "url": url,
        "launcher": "boot",
        "knob": "CPUAffinity of systemd",
        "a": {"wait_s": 150},
        "b": {"steps": [step], "wait_s": 150},
        "live": {"command": ["sh", "-c", _ALLOWED], "A": every, "B": "0"},
        "workload": {"prompt_tokens": 32, "output_tokens": 16, "warmup": 0},
        "max_blocks": 1,
        "seed": 1,
        "guard": GUARD,
    }


def test_nothing_boots_unless_that_is_allowed(node: BootedNode, reference: ReferenceProcess, tmp_path: Path) -> None:
    before = node.boot_id()
    path = write_experiment(tmp_path, _content(node, reference.base_url))
    finished = run_sparktune("ab", str(path), "--yes")

    assert finished.code == 2
    assert "each visit boots spark-test: up to 2 times, and once more in the end" in finished.err
    assert "--allow-reboot" in finished.err
    assert node.boot_id() == before


def test_each_arm_is_booted_for_and_seen_in_the_running_system(
    node: BootedNode, reference: ReferenceProcess, tmp_path: Path
) -> None:
    path = write_experiment(tmp_path, _content(node, reference.base_url))
    with _powered(node) as boots:
        finished: Finished = run_sparktune("ab", str(path), "--yes", "--json", "--allow-reboot", limit_s=400)
        assert finished.out, finished.err
        result = json.loads(finished.out)

        assert finished.code == 5, finished.err  # one block is an anecdote
        assert [visit["state"] for visit in result["visits"]] == ["done", "done"]
        seen = {visit["arm"]: list(visit["live_before"].values()) for visit in result["visits"]}
        assert "0" in seen["B"]
        assert "0" not in seen["A"]
        assert "the original (arm A) is live" in result["afterwards"]
        assert len(boots) == len(set(boots)) == 4
        assert node.run(f"test ! -e {_FILE} && echo gone").strip() == "gone"
