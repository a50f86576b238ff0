"""The unit, the timer and the rule that a node gets, as systemd and udev themselves read them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sparktune.host.reapply_units import RULE, SERVICE, TIMER, unit_files, unit_links


def _written(folder: Path) -> dict[str, Path]:
    found = {}
    for file in unit_files(("0000:0a:00.0",), interrupts=True):
        path = folder / Path(file.path).name
        path.write_text(file.text)
        found[file.path] = path
    return found


def _run(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
@pytest.mark.parametrize("unit", [SERVICE, TIMER])
def test_systemd_has_nothing_to_say_against_them(tmp_path: Path, unit: str) -> None:
    """An unknown key is no failure for ``systemd-analyze verify``, so its words count, not its exit code alone."""
    if not Path("/usr/bin/python3").exists():
        pytest.skip("no /usr/bin/python3, which the unit starts")
    path = _written(tmp_path)[unit]

    result = _run("systemd-analyze", "verify", "--man=no", str(path))

    # It loads the units around, too, which are this machine's own.
    said = [line for line in result.stderr.splitlines() if "sparktune" in line]
    assert said == []
    assert result.returncode == 0


def test_a_mistake_would_be_noticed(tmp_path: Path) -> None:
    """The test above is worth nothing where systemd-analyze does not read the unit."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    path = _written(tmp_path)[TIMER]
    path.write_text(path.read_text().replace("OnActiveSec=5\n", "OnActveSec=5\n"))

    result = _run("systemd-analyze", "verify", "--man=no", str(path))

    assert "OnActveSec" in result.stderr


def test_udev_has_nothing_to_say_against_the_rule(tmp_path: Path) -> None:
    """``udevadm verify`` is there since systemd 254: on Ubuntu 24.04, not on Debian 12."""
    if shutil.which("udevadm") is None:
        pytest.skip("there is no udevadm here")
    if _run("udevadm", "verify", "--help").returncode != 0:
        version = _run("udevadm", "--version").stdout.strip()
        pytest.skip(f"udevadm verify came with systemd 254, here is {version}: the rule's text is not checked by udev")

    result = _run("udevadm", "verify", "--no-style", str(_written(tmp_path)[RULE]))

    assert result.returncode == 0, result.stdout + result.stderr


def test_links_lead_to_the_files() -> None:
    files = {file.path for file in unit_files((), interrupts=True)}

    assert {target for _, target in unit_links(interrupts=True)} <= files
    assert {target for _, target in unit_links(interrupts=False)} <= {
        file.path for file in unit_files((), interrupts=False)
    }


def test_failures_are_not_hidden() -> None:
    """The unit of the article hides every error, and is active or failed by luck."""
    text = next(file.text for file in unit_files((), interrupts=True) if file.path == SERVICE)
    lines = [line for line in text.splitlines() if line.startswith("ExecStart")]

    assert lines == ["ExecStart=/usr/bin/python3 -I /var/lib/sparktune/agent.pyz reapply"]
    assert "/dev/null" not in text
    assert "RemainAfterExit=no" in text
