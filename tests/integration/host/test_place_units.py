"""The unit and the timer of placement rules, as systemd itself reads them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sparktune.host.place_units import SERVICE, TIMER, place_files, place_links

pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")


def _written(folder: Path) -> dict[str, Path]:
    found = {}
    for file in place_files():
        found[file.path] = folder / Path(file.path).name
        found[file.path].write_text(file.text)
    return found


def _said(path: Path) -> str:
    argv = ("systemd-analyze", "verify", "--man=no", str(path))
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False).stderr


@pytest.mark.parametrize("unit", [SERVICE, TIMER])
def test_systemd_has_nothing_to_say_against_them(tmp_path: Path, unit: str) -> None:
    """An unknown key would be ignored on the node, and the rule would follow nobody."""
    if not Path("/usr/bin/python3").exists():
        pytest.skip("no /usr/bin/python3, which the unit starts")
    said = [line for line in _said(_written(tmp_path)[unit]).splitlines() if "sparktune" in line]
    assert said == []


def test_a_mistake_would_be_noticed(tmp_path: Path) -> None:
    """The test above is worth nothing where systemd-analyze does not read the unit."""
    path = _written(tmp_path)[TIMER]
    path.write_text(path.read_text().replace("OnUnitActiveSec=", "OnUnitActivSec="))
    assert "OnUnitActivSec" in _said(path)


def test_the_link_enables_the_timer_for_every_boot() -> None:
    """Without it the rule holds until the next boot, and nobody notices."""
    ((path, target),) = place_links()
    assert target == TIMER
    assert "WantedBy=timers.target" in {one.path: one.text for one in place_files()}[TIMER]
    assert path.endswith("/timers.target.wants/sparktune-place.timer")
