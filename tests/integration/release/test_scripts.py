"""The scripts of a release say what they know, and never that all is well where nobody could look."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[3]
_HARMLESS = {"name": "aiohttp", "version": "3.14.5", "vulns": []}
_NOT_ASKED = {"name": "typer", "skip_reason": "not found"}
_BUG = {"id": "PYSEC-1", "fix_versions": ["3.15"], "aliases": ["CVE-1"], "description": ""}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The scripts and what they read, in a folder of its own."""
    for name in ("scripts/audit.py", "scripts/licences.py", "docs/reference/licences.md", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_ROOT / name, tmp_path / name)
    shutil.copytree(_ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def _audit(tree: Path, says: str, *options: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
    fake = tree / "pip-audit"
    fake.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\nexit {code}\n")
    fake.chmod(0o755)
    command = (sys.executable, str(tree / "scripts/audit.py"), *options)
    return subprocess.run(command, env={"PIP_AUDIT": str(fake)}, capture_output=True, text=True, check=False)


def _report(*dependencies: object) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


@pytest.mark.parametrize("options", [(), ("--if-possible",)])
def test_a_known_vulnerability_fails(tree: Path, options: tuple[str, ...]) -> None:
    done = _audit(tree, _report({**_HARMLESS, "vulns": [_BUG]}, _NOT_ASKED), *options, code=1)

    assert done.returncode == 1
    assert "aiohttp 3.14.5: PYSEC-1, fixed in 3.15" in done.stdout + done.stderr


def test_no_known_one_is_said_with_what_was_not_asked(tree: Path) -> None:
    done = _audit(tree, _report(_HARMLESS, _NOT_ASKED))

    assert (done.returncode, done.stdout) == (0, "audit: no known vulnerability in 1 packages; not asked: typer\n")


@pytest.mark.parametrize("says", [_report(_NOT_ASKED), "", "Traceback ..."])
def test_an_index_that_knows_nothing_is_no_all_clear(tree: Path, says: str) -> None:
    """pip-audit ends with 0 where a mirror has no list of vulnerabilities."""
    alone, in_check = _audit(tree, says), _audit(tree, says, "--if-possible")

    assert alone.returncode == 1
    assert "cannot be reached" in alone.stderr
    assert in_check.returncode == 0
    assert in_check.stdout.startswith("audit: skipped: the index of vulnerabilities cannot be reached")


def test_an_answer_is_kept_for_the_same_locks_only(tree: Path) -> None:
    assert _audit(tree, _report(_HARMLESS)).returncode == 0
    kept = _audit(tree, "", "--if-possible")
    with (tree / "requirements/dev.lock").open("a") as lock:
        lock.write("\n# another\n")
    asked_again = _audit(tree, "", "--if-possible")

    assert "asked within the last day" in kept.stdout
    assert "skipped" in asked_again.stdout


def _licences(tree: Path) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, str(tree / "scripts/licences.py"), "--check")
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_locked_package_has_its_licence_on_the_page(tree: Path) -> None:
    done = _licences(tree)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_package_or_version_without_a_line_is_named(tree: Path) -> None:
    page = tree / "docs/reference/licences.md"
    lines = page.read_text().splitlines()
    gone = next(line for line in lines if line.startswith("| aiohttp |"))
    page.write_text("\n".join(line for line in lines if line != gone).replace("| rich | ", "| rich | 0."))
    done = _licences(tree)

    assert done.returncode == 1
    assert "lacks aiohttp 3." in done.stderr
    assert "rich " in done.stderr


def test_no_licence_on_the_page_is_unknown() -> None:
    rows = [line for line in (_ROOT / "docs/reference/licences.md").read_text().splitlines() if "| https://" in line]

    assert len(rows) > 40
    assert [row for row in rows if len(row.split(" | ")[2].strip()) < 3 or "UNKNOWN" in row] == []


_TWICE = "def {name}(of):\n    a = of + 1\n    b = a + 1\n    c = b + 1\n    d = c + 1\n    e = d + 1\n    return e\n"


def test_a_function_that_is_written_twice_is_named(tmp_path: Path) -> None:
    """Whatever the copy is called; and a reason that nobody needs any more is named, too."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "src").mkdir()
    shutil.copy(_ROOT / "scripts/duplicates.py", tmp_path / "scripts")
    (tmp_path / "src/one.py").write_text(_TWICE.format(name="first"))
    (tmp_path / "src/two.py").write_text(_TWICE.format(name="second"))
    command = (sys.executable, str(tmp_path / "scripts/duplicates.py"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "written 2 times: one.py:first, two.py:second" in done.stderr
    assert "is there once only" in done.stderr


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("src/long.py", "def f(of):\n    'A docstring.'\n" + "    of += 1\n" * 31, "src/long.py:f has 31 lines"),
        ("tests/long.py", "A = 1\n" * 301, "tests/long.py has 301 lines"),
    ],
)
def test_what_is_too_long_is_named(tmp_path: Path, path: str, text: str, said: str) -> None:
    """One line less is not; and a reason that nothing needs any more is named, too."""
    for folder in ("scripts", "src", "tests"):
        (tmp_path / folder).mkdir()
    shutil.copy(_ROOT / "scripts/sizes.py", tmp_path / "scripts")
    (tmp_path / path).write_text(text)
    (tmp_path / path).with_name("short.py").write_text(text[: text.rstrip().rindex("\n") + 1])
    command = (sys.executable, str(tmp_path / "scripts/sizes.py"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert said in done.stderr
    assert "short.py" not in done.stderr
    assert "is not too long: take it out of _MAY" in done.stderr
