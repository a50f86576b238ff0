"""Runtime values: compared as what they are, and nothing else is written to."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import kind_named

from sparktune.agent.failures import StepFailed
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_MASK = "/sys/devices/virtual/workqueue/cpumask"


def _value(path: str, text: str, form: str = "words") -> dict[str, Any]:
    return {"kind": "value", "change": "test", "path": path, "text": text, "form": form, "expect": {}}


@pytest.mark.parametrize(
    ("form", "wanted", "found", "same"),
    [
        ("words", "4096 87380", "4096\t87380\n", True),
        ("words", "1", "10\n", False),
        ("cpulist", "0-4,10-14", "0,1,2-4 10-14\n", True),
        ("cpulist", "0-4", "0-5\n", False),
        ("cpulist", "0-4", "junk\n", False),
        ("cpulist", "junk", "junk\n", False),
        ("mask", "7c1f", "00000000,00007c1f\n", True),
        ("mask", "1,00000000", "100000000\n", True),
        ("mask", "7c1f", "7c1e\n", False),
        ("mask", "7c1f", "zzz\n", False),
    ],
)
def test_comparing(form: str, wanted: str, found: str, same: bool) -> None:  # noqa: FBT001 - a table
    """The kernel writes masks and lists in its own form; a text that is none is never taken for what was wanted."""
    assert kind_named("value").reached(_value("/proc/sys/x", wanted, form), "/proc/sys/x", found) is same


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/proc/sys/../../etc/passwd", "/proc/1/oom_score_adj", "/sys", "/dev/mem"]
)
def test_other_places_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(StepFailed, match="is no runtime value"):
        kind_named("value").look(machine_of(Tree(str(tmp_path))), _value(path, "1"))


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    machine, kind, step = machine_of(Tree(str(tmp_path))), kind_named("value"), _value(_MASK, "1", "mask")
    before = kind.look(machine, step)
    assert before == {_MASK: None}
    with pytest.raises(StepFailed, match="does not exist here"):
        kind.do(machine, step, before)
    assert not list(tmp_path.iterdir())


def test_a_value_without_an_end_of_line_comes_back_so(tmp_path: Path) -> None:
    real = tmp_path / _MASK.lstrip("/")
    real.parent.mkdir(parents=True)
    real.write_bytes(b"f")
    machine, kind, step = machine_of(Tree(str(tmp_path))), kind_named("value"), _value(_MASK, "3", "mask")
    before = kind.look(machine, step)
    kind.do(machine, step, before)
    assert (real.read_bytes(), kind.shown(before[_MASK])) == (b"3\n", "f")
    kind.put_back(machine, step, _MASK, before[_MASK])
    assert real.read_bytes() == b"f"


def test_what_lasts() -> None:
    """A sysctl's prior means something after a reboot, when its file is what it was; a mask's does not."""
    kind = kind_named("value")
    assert kind.lasts({**_value("/proc/sys/vm/swappiness", "1"), "lasting": True})
    assert not kind.lasts(_value(_MASK, "1", "mask"))
