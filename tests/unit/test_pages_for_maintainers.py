"""What maintainers read is true of the tree: what the pages name is there, and what is there is named.

A page that names a file which moved sends whoever trusts it astray, and a kind of plug-in without a section is added
in some other way by everybody.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_SOURCE = _ROOT / "src" / "sparktune"
_ARCHITECTURE = (_ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_CONTRIBUTING = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_TREE_LINE = re.compile(r"(?P<indent> {1,10})(?P<name>[\w*]+(?:\.py|/))(?= |$)")
_NAMED_WITHIN = re.compile(r"(?<![\w/.])(?P<name>[a-z_]+)/")
_IN_TICKS = re.compile(r"`(?P<path>[\w./*-]+)`")
_BEGINS = ("src/", "tests/", "scripts/", "docs/")


def _drawn() -> Iterator[str]:
    """Yield each path under ``src/sparktune`` that the drawing of the folders names; folders end with a slash."""
    block = _ARCHITECTURE.partition("src/sparktune/\n")[2].partition("\ntests/")[0]
    above, path = [(0, "")], ""
    for line in block.splitlines():
        match = _TREE_LINE.match(line)
        if match is not None:
            depth = len(match["indent"])
            while above[-1][0] >= depth:
                above.pop()
            path = above[-1][1] + match["name"]
            if path.endswith("/"):
                above.append((depth, path))
            yield path
        named = _NAMED_WITHIN.findall(line[match.end() if match is not None else 0 :])
        yield from (f"{path}{name}/" for name in named if (_SOURCE / path / name).is_dir())


def _packages() -> Iterator[str]:
    for path in sorted(_SOURCE.rglob("*")):
        if path.is_dir() and path.name != "__pycache__":
            yield f"{path.relative_to(_SOURCE).as_posix()}/"


def _found(path: str) -> bool:
    """Whether a path that a page names is there; NAME, ID and NN in it stand for any name."""
    pattern = re.sub(r"N{2,}|NAME|ID|(?<=_)N(?=\.)", "*", path.rstrip("/"))
    roots = (_ROOT, _SOURCE, _SOURCE / "host", _ROOT / "tests")
    return any(any(root.glob(pattern)) for root in roots)


def test_what_the_drawing_names_is_there() -> None:
    assert [path for path in _drawn() if not any(_SOURCE.glob(path.rstrip("/")))] == []


def test_every_folder_is_in_the_drawing() -> None:
    assert set(_packages()) - set(_drawn()) == set()


@pytest.mark.parametrize(("name", "text"), [("architecture", _ARCHITECTURE), ("contributing", _CONTRIBUTING)])
def test_files_that_are_named_are_there(name: str, text: str) -> None:
    del name
    paths = {match["path"] for match in _IN_TICKS.finditer(text)}
    named = {
        path for path in paths if path.startswith(_BEGINS) or (path.endswith((".py", ".yaml", ".sql")) and "/" in path)
    }

    assert named
    assert sorted(path for path in named if not _found(path)) == []


def test_every_kind_of_plug_in_has_a_section() -> None:
    """Each package whose files are found by themselves is one that people add to."""
    faces = [path for path in _SOURCE.rglob("__init__.py") if "load_plugins(" in path.read_text(encoding="utf-8")]
    folders = {f"src/sparktune/{path.parent.relative_to(_SOURCE).as_posix()}" for path in faces}

    assert len(folders) > 1
    assert sorted(folder for folder in folders if folder not in _CONTRIBUTING) == []
