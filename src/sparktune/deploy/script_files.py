"""The files that set a service which was started by hand: where each setting is written, and its edit. Pure.

They are files of variables and start scripts or command lines, as their kinds of text read them. What a shell fills in
(``${X}``) is not followed: the file in which that variable is written has to be named.
"""

__all__ = ["ScriptFiles"]

from collections.abc import Mapping, Sequence
from typing import Final

from sparktune.deploy.services import text_of_file
from sparktune.deploy.texts import Texts
from sparktune.formats.kinds import format_of
from sparktune.model.document import Entry, EntryKind, NotThisFormat
from sparktune.model.reads import Readings

_COMMAND: Final = "command"
_KINDS: Final = frozenset({_COMMAND, "env", "environment"})


class ScriptFiles:
    """The files in the order in which they are read: what the last one says counts. ``texts`` are those as edited."""

    def __init__(self, files: Sequence[str], readings: Readings) -> None:
        """Take what was seen. Raises ValueError for a file that is not there, a link, or of no kind that is known."""
        self._files = tuple(files)
        seen = {path: _text(path, readings) for path in self._files}
        self._kind = {path: _kind(path, text) for path, text in seen.items()}
        self._seen = {path: Texts({path: text}) for path, text in seen.items()}
        self.texts = Texts(seen)

    def write(self, kind: EntryKind, name: str, value: str | None) -> None:
        """Set a value where it is written; one that is nowhere goes where it reads best. Raises ValueError."""
        path = self._path(kind, name)
        if not path and value is None:
            return
        path = path or self._place_for(kind, name)
        found = self._entry(path, kind, name)
        if found is not None and _filled_in(found):
            message = f"{path}, line {found.line}: {name} is filled in by a shell: name the file of its variable"
            raise ValueError(message)
        self.texts.write(self._kind[path], path, ("", kind, found.name if found else name), value)

    def before(self, kind: EntryKind, names: Sequence[str], own: Mapping[str, object]) -> dict[str, str | None]:
        """Return what the files say. Raises ValueError where that cannot be told of a name the arm leaves alone."""
        found: dict[str, str | None] = {}
        for name in names:
            path = self._path(kind, name)
            entry = self._entry(path, kind, name) if path else None
            found[name] = None if entry is None else entry.text or ""
            if name not in own and entry is not None and _filled_in(entry):
                message = f"{path}, line {entry.line}: {name} is filled in by a shell: its value cannot be told there"
                raise ValueError(message)
        return found

    def _place_for(self, kind: EntryKind, name: str) -> str:
        variables = [path for path in self._files if self._kind[path] != _COMMAND] if kind == "env" else []
        commands = [path for path in self._files if self._kind[path] == _COMMAND]
        found = next((path for path in (*variables, *commands)), "")
        if not found:
            message = f"{', '.join(self._files)}: {name} is not written there: name the file with the command, too"
            raise ValueError(message)
        return found

    def _path(self, kind: EntryKind, name: str) -> str:
        return next((path for path in reversed(self._files) if self._entry(path, kind, name) is not None), "")

    def _entry(self, path: str, kind: EntryKind, name: str) -> Entry | None:
        return self._seen[path].entry(self._kind[path], path, ("", kind, name))


def _filled_in(entry: Entry) -> bool:
    return "$" in (entry.text or "") or "`" in (entry.text or "")


def _text(path: str, readings: Readings) -> str:
    target = next(iter(readings.links.get(path, {}).values()), "")
    if target:
        message = f"{path} is a link to {target}, which others may use: name that file"
        raise ValueError(message)
    text = text_of_file("this machine", path, readings)
    if text is None:
        message = f"this machine: {path} is not there"
        raise ValueError(message)
    return text


def _kind(path: str, text: str) -> str:
    try:
        kind = format_of(path, text).id
    except NotThisFormat as error:
        message = f"{path}: {error}"
        raise ValueError(message) from None
    if kind not in _KINDS:
        message = f"{path} is a {kind} file: use the launcher that goes with it"
        raise ValueError(message)
    return kind
