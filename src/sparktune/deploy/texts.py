"""Edit texts of services by the kinds of text that are known, and read what they say: pure."""

__all__ = ["Texts", "document"]

from collections.abc import Mapping

from sparktune.formats.kinds import all_formats
from sparktune.model.document import Document, Entry, EntryKind, NotThisFormat
from sparktune.model.step import FileStep


def document(kind: str, path: str, text: str) -> Document:
    """Return a text as its kind reads it. Raises ValueError with place and reason."""
    found = next(one for one in all_formats() if one.id == kind)
    try:
        return found.read(path, text)
    except NotThisFormat as error:
        line = f", line {error.line}" if error.line else ""
        message = f"{path}{line}: {error}"
        raise ValueError(message) from None


class Texts:
    """Texts of one node by their paths: as they were, and as edited so far. A path may have no text yet."""

    def __init__(self, texts: Mapping[str, str | None]) -> None:
        """Begin with what was seen."""
        self._before = dict(texts)
        self._now = dict(texts)

    def text(self, path: str) -> str:
        """Return the text as it is now, "" where there is none."""
        return self._now.get(path) or ""

    def entry(self, kind: str, path: str, place: tuple[str, EntryKind, str]) -> Entry | None:
        """Return the last entry of a part, kind and name. Raises ValueError for a text that cannot be read."""
        part, of, name = place
        if self._now.get(path) is None:
            return None
        found = [one for one in document(kind, path, self.text(path)).entries if (one.part, one.kind) == (part, of)]
        return next((one for one in reversed(found) if _same(of, one.name, name)), None)

    def write(self, kind: str, path: str, place: tuple[str, EntryKind, str], value: str | None) -> None:
        """Set an entry, or take it away (None). Raises ValueError with place and reason."""
        part, of, name = place
        found = next(one for one in all_formats() if one.id == kind)
        read = document(kind, path, self.text(path))
        try:
            self._now[path] = found.write(read, part, of, name, value)
        except ValueError as error:
            message = f"{path}: {name} cannot be set there: {error}"
            raise ValueError(message) from None

    def put(self, path: str, text: str) -> None:
        """Set a whole text."""
        self._now[path] = text

    def steps(self) -> tuple[FileStep, ...]:
        """Return what makes the files on the node what they are here; each expects what was seen."""
        return tuple(
            FileStep(path=path, text=text, expect={path: self._before.get(path)})
            for path, text in self._now.items()
            if text != self._before.get(path)
        )


def _same(kind: EntryKind, one: str, other: str) -> bool:
    return one == other or (kind == "flag" and one.replace("_", "-") == other.replace("_", "-"))
