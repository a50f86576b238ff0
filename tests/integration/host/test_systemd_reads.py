"""What the installed systemd makes of our drop-ins, and of those that are beside them: ``systemd --test`` says it.

Nothing is started: in test mode systemd loads the units of folders, prints them and exits. It refuses to do so as root.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.trees import readings_of_tree

from sparktune.host.cpulist import format_cpulist, parse_cpulist
from sparktune.host.placement import Cores
from sparktune.host.slice_units import UNITS, at_boot, cpus_of_unit, drop_in_path, drop_in_text
from sparktune.host.unit_cpus import boot_cpus, unit_lines, unit_reads

_SYSTEMD = next((path for path in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if Path(path).exists()), None)
_NOBODY = 65_534
_CORES = Cores(
    performance=frozenset({5, 6, 7, 8, 9, 15, 16, 17, 18, 19}),
    efficiency=frozenset({0, 1, 2, 3, 4, 10, 11, 12, 13, 14}),
)
_FOLDER = "etc/systemd/system"
_TARGETS = ("sysinit.target", "basic.target", "shutdown.target", "umount.target")

pytestmark = pytest.mark.skipif(_SYSTEMD is None, reason="needs systemd's own program")


@pytest.fixture(name="root")
def _root() -> Iterator[Path]:
    """Return a tree that every user may read, with the few units without which systemd does not even test."""
    root = Path(tempfile.mkdtemp(prefix="sparktune-units-"))
    try:
        units = root / _FOLDER
        units.mkdir(parents=True)
        for name in _TARGETS:
            (units / name).write_text("[Unit]\nDefaultDependencies=no\n")
        (units / "default.target").write_text("[Unit]\nWants=a.service b.service\n")
        (units / "a.service").write_text("[Service]\nExecStart=/bin/true\nSlice=inference.slice\n")
        (units / "b.service").write_text("[Service]\nExecStart=/bin/true\nSlice=user.slice\n")
        yield root
    finally:
        shutil.rmtree(root)


def _write(root: Path, path: str, text: str) -> None:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _loaded(root: Path) -> dict[str, str]:
    """Return AllowedCPUs= of each unit that has it, as systemd has loaded it from a tree's folders."""
    assert _SYSTEMD is not None
    for folder, _folders, files in os.walk(root):
        Path(folder).chmod(0o755)
        for name in files:
            (Path(folder) / name).chmod(0o644)
    folders = (f"{root}/etc/systemd/system.control", f"{root}/{_FOLDER}", f"{root}/usr/lib/systemd/system")
    done = subprocess.run(
        (_SYSTEMD, "--test", "--system", "--log-target=console"),
        env={"SYSTEMD_UNIT_PATH": ":".join(folders), "PATH": os.environ["PATH"], "HOME": str(root)},
        user=_NOBODY if os.geteuid() == 0 else None,
        group=_NOBODY if os.geteuid() == 0 else None,
        extra_groups=[] if os.geteuid() == 0 else None,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if "-> Unit init.scope:" not in done.stdout:
        pytest.skip(f"systemd --test does not run here: {(done.stderr or done.stdout)[-300:]}")
    found: dict[str, str] = {}
    unit = ""
    for line in done.stdout.splitlines():
        header = re.match(r"\s*-> Unit (\S+):$", line)
        unit = header[1] if header else unit
        key, sign, value = line.strip().partition(": ")
        if sign and key == "AllowedCPUs" and value:
            found[unit] = value
    return found


def test_our_drop_ins_are_what_systemd_loads(root: Path) -> None:
    """init.scope has no file of its own, nor has inference.slice: both take a drop-in all the same."""
    for unit in UNITS:
        _write(root, drop_in_path(unit), drop_in_text(unit, _CORES))

    loaded = _loaded(root)

    assert {unit: parse_cpulist(loaded.get(unit, "")) for unit in UNITS} == {
        unit: cpus_of_unit(unit, _CORES) for unit in UNITS
    }


@pytest.mark.parametrize(
    "files",
    [
        {"etc/systemd/system/user.slice.d/10-a.conf": "1", "etc/systemd/system/user.slice.d/20-b.conf": "5"},
        {"etc/systemd/system/user.slice.d/10-a.conf": "1\nAllowedCPUs=\nAllowedCPUs=2-3"},
        {"usr/lib/systemd/system/user.slice.d/10-a.conf": "1", "etc/systemd/system/user.slice.d/10-a.conf": "7"},
        {"etc/systemd/system.control/user.slice.d/50-AllowedCPUs.conf": "\nAllowedCPUs=0-19"},
        {"etc/systemd/system/user.slice.d/zzz.conf": "5", "etc/systemd/system/user.slice": "9"},
    ],
)
@pytest.mark.parametrize("ours", [False, True])
def test_we_read_files_as_systemd_does(root: Path, files: dict[str, str], ours: object) -> None:
    """Whether a plan is needed, overruled or spoiled hangs on this."""
    for path, value in files.items():
        _write(root, path, f"[Slice]\nAllowedCPUs={value}\n")
    lines = unit_lines(readings_of_tree(root, unit_reads("user.slice")), "user.slice").value
    assert lines
    expected = at_boot(lines, "user.slice", _CORES) if ours else boot_cpus(lines)
    if ours:
        _write(root, drop_in_path("user.slice"), drop_in_text("user.slice", _CORES))

    assert format_cpulist(parse_cpulist(_loaded(root)["user.slice"])) == format_cpulist(expected.value or frozenset())
