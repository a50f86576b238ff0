"""Find functions that are written twice: the same statements under the same names, whatever the function is called.

Copies drift apart: a fault is mended in one of them. Comments, docstrings, annotations and layout do not count. What
may be there twice is in ``_MAY`` with the reason; one that is there no more has to leave that list.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_SOURCE = _ROOT / "src"
_LEAST_LINES = 6
_MAY: Mapping[str, str] = {
    "sparktune/engines/sglang.py:_extras": "two engines that take the same fields today, and may part with any release",
}


def _functions(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what each function of a file says, and its name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if body and (body[-1].end_lineno or 0) - body[0].lineno + 1 >= _LEAST_LINES:
            parameters = ",".join(one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
            said = parameters + "\n".join(ast.unparse(line) for line in body)
            yield said, f"{path.relative_to(_SOURCE)}:{node.name}"


def duplicates() -> list[tuple[str, ...]]:
    """Return the names of functions that say the same, group by group."""
    found: dict[str, list[str]] = {}
    for path in sorted(_SOURCE.rglob("*.py")):
        for said, name in _functions(path):
            found.setdefault(said, []).append(name)
    return sorted(tuple(names) for names in found.values() if len(names) > 1)


def main() -> int:
    """Name the groups that nobody gave a reason for, and reasons that nobody needs; return 1 for either."""
    groups = duplicates()
    unexplained = [names for names in groups if not any(name in _MAY for name in names)]
    for names in unexplained:
        print(f"written {len(names)} times: {', '.join(names)}", file=sys.stderr)
    stale = [name for name in _MAY if not any(name in names for names in groups)]
    for name in stale:
        print(f"{name} is there once only: take it out of _MAY in scripts/duplicates.py", file=sys.stderr)
    return 1 if unexplained or stale else 0


if __name__ == "__main__":
    sys.exit(main())
