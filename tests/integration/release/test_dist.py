"""What a release is made of: the same bytes from the same tree, nothing missing, and no network wanted to run it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from tests.support.offline import offline

_ROOT = Path(__file__).resolve().parents[3]
_PARTS = (
    *("src", "scripts", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md", ".gitignore"),
    "docs/reference/sparktune.1",
)
_VERSIONS = ("3.11", "3.12", "3.13")
_SMALL_TABLE = "concurrency,output_tok_s\n1,20.5\n1,20.7\n1,20.6\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, which nobody edits meanwhile."""
    folder = tmp_path_factory.mktemp("tree")
    for name in _PARTS:
        source = _ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    return folder


def _build(tree: Path, to: Path) -> dict[str, str]:
    environment = {**os.environ, "VENV": sys.prefix, "DIST": str(to)}
    done = subprocess.run(
        ("/bin/bash", "scripts/dist.sh"), cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in to.iterdir()}
    assert {line.split()[1]: line.split()[0] for line in done.stdout.splitlines()} == found
    return found


@pytest.fixture(scope="module")
def dist(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the archive and the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    _build(tree, folder)
    return folder


def _wheel(dist: Path) -> Path:
    (wheel,) = dist.glob("*.whl")
    return wheel


def test_the_same_tree_gives_the_same_bytes(tree: Path, dist: Path, tmp_path: Path) -> None:
    """Who builds it again can tell whether what was published is what is in the repository, whenever and as whoever."""
    for path in tree.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    old = os.umask(0o077)
    try:
        again = _build(tree, tmp_path / "again")
    finally:
        os.umask(old)

    assert again == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in dist.iterdir()}


def test_the_wheel_holds_the_program_and_its_licence_and_nothing_else(tree: Path, dist: Path) -> None:
    names = set(zipfile.ZipFile(_wheel(dist)).namelist())
    source = {str(path.relative_to(tree / "src")) for path in (tree / "src").rglob("*") if path.is_file()}

    own = {name for name in names if ".dist-info/" not in name}
    assert {name for name in own if ".data/" not in name} == source
    assert [name.partition(".data/")[2] for name in own if ".data/" in name] == ["data/share/man/man1/sparktune.1"]
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_archive_holds_what_the_wheel_is_made_of(dist: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {member.name.partition("/")[2] for member in opened.getmembers()}

    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/sparktune/cli/app.py"} <= names
    assert not [name for name in names if name.startswith(("tests/", ".venv"))]


def test_the_wheel_wants_what_the_project_declares(dist: Path) -> None:
    """No tool of the developers is needed to run it, and each extra brings what it says."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(_wheel(dist)) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(opened.read(name).decode())
    always = {_package(line) for line in metadata.get_all("Requires-Dist") or () if "extra ==" not in line}

    assert always == {_package(line) for line in project["dependencies"]}
    assert set(metadata.get_all("Provides-Extra") or ()) == set(project["optional-dependencies"])
    assert metadata["License-Expression"] == "Apache-2.0"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("version", _VERSIONS)
def test_it_runs_in_a_new_environment_without_a_network(version: str, dist: Path, tmp_path: Path) -> None:
    """What is declared is all that it needs, on each Python that it claims."""
    offline("true")
    python = _installed(version, _wheel(dist), tmp_path)
    program = str(python.with_name("sparktune"))
    (tmp_path / "table.csv").write_text(_SMALL_TABLE)
    (tmp_path / "serve.sh").write_text("vllm serve org/model --host 127.0.0.1 --max-num-seqs 6\n")
    steps: dict[tuple[str, ...], tuple[int, ...]] = {
        ("--version",): (0,),
        ("--help",): (0,),
        ("lab", "init", "practice"): (0,),
        ("doctor", "--nodes", "practice/spark1,practice/spark2"): (3,),
        ("check", "table.csv"): (0, 5),
        ("lint", "serve.sh"): (0, 3),
        ("knobs", "list"): (0,),
        ("watch", "--help"): (0,),
        ("host", "plan", "--nodes", "practice/spark1", "--allow-slow"): (0, 3),
    }
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SPARKTUNE_DATA": str(tmp_path / "data")}
    for words, codes in steps.items():
        command = offline(program, *words)
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

        assert done.returncode in codes, (words, done.stdout[-2000:], done.stderr[-2000:])
        assert "Traceback" not in done.stdout + done.stderr
        assert (done.stdout + done.stderr).strip(), words


def _installed(version: str, wheel: Path, folder: Path) -> Path:
    """Install the wheel, with what it declares in the locked versions; skip where either cannot be had."""
    environment = folder / "environment"
    subprocess.run((_python(version), "-m", "venv", str(environment)), check=True)
    python = environment / "bin" / "python"
    pins = re.findall(
        r"^[\w.-]+==[^\s;\\]+(?: ;[^\\\n]*)?", (_ROOT / "requirements/run.lock").read_text(), re.MULTILINE
    )
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(pins) + "\n")
    pip = (str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "-q")
    done = subprocess.run(
        (*pip, "install", "--only-binary", ":all:", "--constraint", str(constraints), str(wheel)),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and ("Could not find a version" in done.stderr or "No matching distribution" in done.stderr):
        pytest.skip(f"the packages of requirements/run.lock cannot be had for Python {version}: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    subprocess.run((*pip, "check"), check=True)
    return python


def _python(version: str) -> str:
    """Return an interpreter of a version: in PATH, of pyenv, or this one itself; skip where there is none."""
    homes = [Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"]
    found = [str(path) for home in homes for path in sorted(home.glob(f"{version}.*/bin/python"))]
    candidates = [*found, shutil.which(f"python{version}"), sys.executable]
    for candidate in filter(None, candidates):
        asked = (candidate, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])")
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == version:
            return candidate
    pytest.skip(f"there is no Python {version} with venv on this machine")


def _package(requirement: str) -> str:
    return re.split(r"[\s<>=!;\[]", requirement, maxsplit=1)[0].replace(".", "-").lower()
