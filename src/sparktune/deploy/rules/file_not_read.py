"""Files that a file names and that were not read: what they set is not known."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, lint_rule
from sparktune.model.document import Document, Entry
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

# The name of an entry, by format
_NAMES = {
    "compose": re.compile(r"env_file(?:\[\d+\])?(?:\.path)?|extends\.file"),
    "unit": re.compile("EnvironmentFile"),
}
_INCLUDE = re.compile(r"^include[ \t]*:", re.MULTILINE)


def _judge(view: LintView) -> Iterator[Found]:
    read = {_base(document.name) for document in view.documents}
    for document in view.documents:
        for entry in document.entries:
            if _names_file(document, entry) and _base(entry.text or "") not in read:
                yield _found(document, entry.line, f"{entry.name.partition('[')[0]} names {entry.text}")
        if document.format == "compose":
            for match in _INCLUDE.finditer(document.text):
                line = document.text.count("\n", 0, match.start()) + 1
                yield _found(document, line, "include takes other files in")


def _names_file(document: Document, entry: Entry) -> bool:
    names = _NAMES.get(document.format)
    return names is not None and entry.kind == "key" and bool(entry.text) and names.fullmatch(entry.name) is not None


def _found(document: Document, line: int, what: str) -> Found:
    return Found(
        severity=Severity.INFO,
        evidence=f"{what}, which was not read: what it sets is not known here",
        hint="no finding is no praise for it: name it on the command line, too",
        file=document.name,
        line=line,
    )


def _base(path: str) -> str:
    return path.removeprefix("-").rsplit("/", 1)[-1]


RULE = lint_rule(
    "file-not-read",
    title="a file that another names was not read",
    why="A setting in it counts for the engine, and a mistake in it breaks the start, while nothing is found here.",
    source="the compose specification: env_file, extends, include; systemd.exec(5): EnvironmentFile",
    judge=_judge,
)
