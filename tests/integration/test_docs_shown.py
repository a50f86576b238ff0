"""What a page shows of an answer is what the program says today: no wording in it is of an older version.

Numbers and names are those of one run; the words between them have to follow each other in the program's own texts.
"""

import ast
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = (_ROOT / "README.md", *sorted((_ROOT / "docs" / "guides").glob("*.md")))
_SHOWN = re.compile(r"^```(?:text|console)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)  # what runs, test_docs runs
_NOTATION = ("{", "# arm", "check  ")
"""How blocks begin that show a form, and no answer: JSON, a table's comments."""
_NAME = re.compile(r"[\d_=/@<>%#*|\[\]{}+~']|^[AB]{1,2}[,:]?$|^-|\w\.\w")
"""A number, a setting, a path: what differs from run to run."""


def _answers(page: Path) -> Iterator[str]:
    for block in _SHOWN.finditer(page.read_text()):
        body = block["body"].replace("\\\n", " ")
        if block[0].startswith("```console"):
            body = "\n".join(line for line in body.splitlines() if not line.startswith("$ "))
        if body.strip() and not body.lstrip().startswith(_NOTATION):
            yield body


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield words that follow each other in one line, with nothing between them that differs from run to run."""
    for line in text.splitlines():
        for one, other in itertools.pairwise(line.split()):
            ends = one[-1] in ",;:.)" or other[0] == "("
            if not ends and not _NAME.search(one) and not _NAME.search(other):
                yield one.lstrip("("), other.rstrip(",;:.)")


@cache
def _said() -> str:
    """Return every text of the program, the parts of one in which something is filled in apart."""
    texts: list[str] = []
    for file in sorted((_ROOT / "src" / "sparktune").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "#" for part in node.values)
                texts.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return "\n".join(f"# {' '.join(text.split())} #" for text in texts)


@cache
def _is_said(one: str, other: str) -> bool:
    """Tell whether the words follow each other in a text of the program, or may where something is filled in."""
    first, second = re.escape(one), re.escape(other)
    filled = rf"\b{first}[ ,;:]*#", rf"#[ ,;:(]*{second}\b"
    return f"{one} {other}" in _said() or all(re.search(pattern, _said()) for pattern in filled)


_ANSWERS = [
    pytest.param(body, id=f"{page.name}: {body.split(maxsplit=4)[0]}-{at}")
    for page in _PAGES
    for at, body in enumerate(_answers(page))
]


@pytest.mark.parametrize("body", _ANSWERS)
def test_what_is_shown_is_what_is_said_today(body: str) -> None:
    """A reader compares a page with the terminal: other words there mean another version, or a mistake."""
    foreign = [pair for pair in _pairs(body) if not _is_said(*pair)]

    assert foreign == []


def test_answers_are_found() -> None:
    """Or the test above would be content with nothing."""
    assert len(_ANSWERS) >= 8
    assert sum(1 for answer in _ANSWERS for _ in _pairs(str(answer.values[0]))) > 100
    assert not _is_said("verdict", "of yesterday")
