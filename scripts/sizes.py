"""Find files and functions that are longer than a person holds in the head.

A file has 300 lines at most, a function 30 below its signature and docstring. What may be longer is in ``_MAY`` with
the reason; one that is longer no more has to leave that list.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_FILES = ("src", "tests", "scripts", "benchmarks")
_FUNCTIONS = ("src", "scripts")
_MOST_FILE_LINES = 300
_MOST_FUNCTION_LINES = 30
_MAY: Mapping[str, str] = {
    "src/sparktune/cli/bench.py:bench": "one line per flag",
    "src/sparktune/cli/_place/trial.py:trial": "one line per flag",
    "src/sparktune/report/ab/json.py:result_record": "one line per key of the record",
    "tests/system/test_place_breaks.py": "one node, and each way in which a pin on it breaks off",
}


def _sources(folders: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((_ROOT / folder).rglob("*.py"))


def _long_files() -> Iterator[tuple[str, int]]:
    for path in _sources(_FILES):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > _MOST_FILE_LINES:
            yield str(path.relative_to(_ROOT)), lines


def _long_functions() -> Iterator[tuple[str, int]]:
    for path in _sources(_FUNCTIONS):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
                lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
                if lines > _MOST_FUNCTION_LINES:
                    yield f"{path.relative_to(_ROOT)}:{node.name}", lines


def main() -> int:
    """Name what is too long and has no reason to be, and reasons that nothing needs; return 1 for either."""
    found = {**dict(_long_files()), **dict(_long_functions())}
    unexplained = {name: lines for name, lines in found.items() if name not in _MAY}
    for name, lines in unexplained.items():
        print(f"{name} has {lines} lines: split it where its subject changes", file=sys.stderr)
    stale = [name for name in _MAY if name not in found]
    for name in stale:
        print(f"{name} is not too long: take it out of _MAY in scripts/sizes.py", file=sys.stderr)
    return 1 if unexplained or stale else 0


if __name__ == "__main__":
    sys.exit(main())
