"""The tracked files hold for everybody: nothing in them belongs to one machine, one registry or one person."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = (".ci", "benchmarks", "docs", "requirements", "scripts", "src", "tests")
# Written in parts, or this file would hold what it forbids.
_REGISTRY_HOSTS = (
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "deb.debian" + ".org",
    "archive.ubuntu" + ".com",
    "registry." + "npmjs" + ".org",
)
_HOME = re.compile("(?<![\\w.}])/(?:root|" + "home/(?!me/)[a-z]\\w*|" + "Users/[A-Za-z]\\w*|" + "work)/")


def _tracked() -> Iterator[Path]:
    git = shutil.which("git")
    if git is not None and (_ROOT / ".git").exists():
        # A checkout may belong to another user than the one who tests it.
        command = [git, "-c", f"safe.directory={_ROOT}", "ls-files", "-z"]
        names = subprocess.run(command, cwd=_ROOT, capture_output=True, check=True).stdout
        paths = [_ROOT / name.decode() for name in names.split(b"\0") if name]
    else:
        # Without git: what lies in the folders that the project has files in.
        paths = [path for folder in _FOLDERS for path in (_ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
        paths += _ROOT.glob("*.*")
    yield from (path for path in paths if path.is_file())


def _findings(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for path in _tracked():
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{path.relative_to(_ROOT)}:{number}: {line.strip()[:120]}")
    return found


def test_no_file_names_a_package_registry() -> None:
    """A lock that names an index cannot be used behind a mirror; which one to ask is the machine's own setting."""
    assert _findings(re.compile("|".join(map(re.escape, _REGISTRY_HOSTS)))) == []


def test_no_file_names_a_home_folder() -> None:
    assert _findings(_HOME) == []


@pytest.mark.parametrize("name", ["run", "demo", "dev", "system", "tools", "model"])
def test_every_locked_package_has_a_version_and_a_hash(name: str) -> None:
    text = (_ROOT / "requirements" / f"{name}.lock").read_text()
    entries = [entry for entry in re.split(r"\n(?=\S)", text.strip()) if not entry.startswith("#")]

    assert entries
    assert [entry.splitlines()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_the_locks_agree_with_each_other() -> None:
    """They are installed into one environment, in any order."""
    pins: dict[str, set[str]] = {}
    for name in ("run", "demo", "dev", "system"):
        for line in (_ROOT / "requirements" / f"{name}.lock").read_text().splitlines():
            if match := re.match(r"([\w.-]+)==(\S+) ?(;[^\\]*)?", line):
                pins.setdefault(f"{match[1]} {(match[3] or '').strip()}", set()).add(match[2])

    assert {package: versions for package, versions in pins.items() if len(versions) > 1} == {}
