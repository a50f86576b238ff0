"""Variables that go together into one process: those of a part; of a file of variables, where no part is given."""

__all__ = ["Group", "groups"]

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sparktune.deploy.settings.environment import env_setting
from sparktune.model.document import Document
from sparktune.model.lint import LintView, Part
from sparktune.model.setting import Layer, Origin, Setting

_FILES_OF_VARIABLES = frozenset({"env", "environment", "docker-env"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Variables that go to one process: those of a part, or of a file of variables where no part is given."""

    document: Document
    name: str
    variables: Mapping[str, Setting]
    part: Part | None = None

    def value(self, name: str) -> str | None:
        """Return what a variable says, None where it is not there."""
        found = self.variables.get(name)
        return None if found is None or found.value is None else str(found.value)


def groups(view: LintView) -> Iterator[Group]:
    """Yield what processes get; a file of variables alone counts as what its process gets."""
    for part in view.parts:
        name = f"service {part.name}" if part.name else _base(part.document.name)
        yield Group(document=part.document, name=name, variables=part.environment, part=part)
    if view.parts:
        return
    for one in view.documents:
        if one.format in _FILES_OF_VARIABLES:
            yield Group(document=one, name=_base(one.name), variables=_variables(one))


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _variables(document: Document) -> dict[str, Setting]:
    return {
        entry.name: env_setting(
            entry.name, entry.text, Origin(layer=Layer.FILE, place=document.name, line=entry.line), entry.part
        )
        for entry in document.entries
        if entry.kind == "env"
    }
