"""Write docs/reference/licences.md: the licences of what is installed beside the program, from the packages' own words.

    licences.py            write the page from the packages that are installed here (.venv of make setup)
    licences.py --check    check that every locked package but those of developers has its line; needs none installed

What a package does not tell in its metadata is in ``_TOLD_ELSEWHERE``, with the place where it was read.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ROOT = Path(__file__).resolve().parents[1]
_PAGE = _ROOT / "docs" / "reference" / "licences.md"
_LINUX = {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux", "python_version": "3.11"}
_LONGEST = 60  # a longer "License" is the text of one
_PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)(?: ;(?P<marker>[^\\\n]*))?", re.MULTILINE)
_TOLD_ELSEWHERE = {
    "resvg-py": ("MIT", "https://github.com/baseplate-admin/resvg-py"),  # LICENSE in its repository
}
_TITLES = {
    "": ("Always", "What the program needs to run."),
    "demo": ("Extra `demo`", "llama.cpp in one library, and the model (installed by `make demo` alone)."),
    "png": ("Extra `png`", "Pictures of a report as PNG."),
    "tui": ("Extra `tui`", "The live view with keys."),
    "study": (
        "Extra `study`",
        """\
A study that several clusters share. psycopg is under the LGPL; it is used as it is, as a library of its own. Its binary
package holds libpq (PostgreSQL licence) and OpenSSL (Apache-2.0).""",
    ),
    "build": ("To build and install from a clone", "Not needed to run it."),
}
_INTRODUCTION = """\
`sparktune` is under Apache-2.0 (the file `LICENSE`, also in the wheel). Its wheel holds nothing of anybody else: what
it needs is installed beside it, each package under its own licence. These are they, in the locked versions, as the
packages say themselves; a package is listed once, where it is needed first. Tools of developers are not listed.
`make docs` writes this page, `make check` compares it with the locks."""


def _pins(name: str) -> dict[str, str]:
    """Return the versions of a lock by package, those that are for Linux."""
    found: dict[str, str] = {}
    for pin in _PIN.finditer((_ROOT / "requirements" / f"{name}.lock").read_text()):
        wanted = Requirement(f"{pin['name']}=={pin['version']}" + (f";{pin['marker']}" if pin["marker"] else ""))
        if wanted.marker is None or wanted.marker.evaluate(_LINUX):
            found[canonicalize_name(pin["name"])] = pin["version"]
    return found


def _closure(wanted: Iterable[str]) -> set[str]:
    """Return every package that these requirements bring, by the metadata of what is installed."""
    todo, seen = [Requirement(text) for text in wanted], set[tuple[str, str]]()
    while todo:
        one = todo.pop()
        for extra in ("", *one.extras):
            if (key := (canonicalize_name(one.name), extra)) in seen:
                continue
            seen.add(key)
            needs = (Requirement(text) for text in metadata.requires(one.name) or ())
            todo += [need for need in needs if need.marker is None or need.marker.evaluate({**_LINUX, "extra": extra})]
    return {name for name, _ in seen}


def _licence(name: str) -> tuple[str, str]:
    """Return the licence and the home of a package."""
    if name in _TOLD_ELSEWHERE:
        return _TOLD_ELSEWHERE[name]
    told = metadata.metadata(name)
    stated = told["License"] or ""
    classified = [line.rpartition(" :: ")[2] for line in told.get_all("Classifier") or () if line.startswith("License")]
    licence = told["License-Expression"] or (stated if len(stated) <= _LONGEST else "") or ", ".join(classified)
    if not licence:
        sys.exit(f"{name} does not tell its licence; read it, and put it into _TOLD_ELSEWHERE")
    urls: dict[str, str] = {}
    for line in told.get_all("Project-URL") or ():
        key, _, value = line.partition(", ")
        urls[key.lower().replace(" ", "")] = value
    names = ("homepage", "home", "source", "sourcecode", "repository", "github", "code")
    homes = (urls.get(name) for name in names)
    home = next(filter(None, homes), told["Home-page"] or "")
    return licence, home


def _groups() -> Mapping[str, set[str]]:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    groups = {"": _closure(project["project"]["dependencies"])}
    groups |= {extra: _closure(extras[extra]) for extra in _TITLES if extra in extras}
    groups["demo"] |= set(_pins("model"))
    return groups | {"build": _closure(project["dependency-groups"]["build"])}


def page() -> str:
    """Return the page."""
    versions = {**_pins("dev"), **_pins("demo"), **_pins("model")}
    seen, parts = set[str](), ["# Licences", _INTRODUCTION]
    for group, names in _groups().items():
        title, text = _TITLES[group]
        rows = ["| package | version | licence | home |", "|---|---|---|---|"]
        for name in sorted(names - seen):
            licence, home = _licence(name)
            rows.append(f"| {name} | {versions[name]} | {licence} | {home} |")
        seen |= names
        parts.append("\n\n".join((f"## {title}", text, "\n".join(rows))))
    return "\n\n".join(parts) + "\n"


def missing(text: str) -> list[str]:
    """Return what the page lacks: locked packages and versions, and those that an extra names."""
    extras = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {canonicalize_name(Requirement(need).name) for needs in extras.values() for need in needs}
    locked = _pins("dev")
    wanted = _pins("run") | _pins("demo") | _pins("model") | {name: locked[name] for name in named}
    return [f"{name} {version}" for name, version in sorted(wanted.items()) if f"| {name} | {version} |" not in text]


def main() -> int:
    """Write the page, or name what it lacks and return 1."""
    if "--check" not in sys.argv[1:]:
        _PAGE.write_text(page())
        return 0
    lacking = missing(_PAGE.read_text() if _PAGE.is_file() else "")
    if lacking:
        print(f"docs/reference/licences.md lacks {', '.join(lacking)}; run: make docs", file=sys.stderr)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
