"""Texts of a part's files -> its settings, with their places. Pure."""

__all__ = ["FileLayer", "file_layer"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sparktune.deploy.settings.environment import env_setting
from sparktune.deploy.settings.view import view_of
from sparktune.deploy.texts import document
from sparktune.formats.kinds import read_text
from sparktune.io.drift.layout import Found
from sparktune.model.document import Document, NotThisFormat
from sparktune.model.observed import State
from sparktune.model.reads import Readings
from sparktune.model.setting import Layer, Origin, Setting

_NO_FILE: Final = "no file is known that sets it"
_VARIABLES: Final = ("env", "environment", "docker-env")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLayer:
    """``unread`` says why there are no settings, "" where there are."""

    settings: Mapping[str, Setting] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    engine: str = ""
    image: str = ""
    unread: str = ""


def file_layer(found: Found, readings: Readings) -> FileLayer:
    """Return what the files of a part say; one that is not there says nothing."""
    documents: list[Document] = []
    for path, kind in found.files.items():
        text = readings.file(path)
        if text.state is State.UNREADABLE:
            return FileLayer(files=tuple(found.files), unread=f"{path} cannot be read: {text.why}")
        if text.value is None:
            continue
        try:
            documents.append(document(kind, path, text.value) if kind else read_text(path, text.value))
        except NotThisFormat as error:
            line = f", line {error.line}" if error.line else ""
            return FileLayer(files=tuple(found.files), unread=f"{path}{line}: {error}")
        except ValueError as error:
            return FileLayer(files=tuple(found.files), unread=str(error))
    return _of_documents(found, documents)


def _of_documents(found: Found, documents: list[Document]) -> FileLayer:
    files = tuple(one.name for one in documents)
    parts = [one for one in view_of(documents).parts if not found.part or one.name == found.part]
    # What is started by hand gets all variables that its files have: how they come to it, no file says.
    loose = {} if any(found.files.values()) else _variables(documents)
    if not parts and not loose:
        missing = f"{', '.join(files)} starts no {found.part or 'server'}" if files else _NO_FILE
        return FileLayer(files=files or tuple(found.files), unread=missing)
    return FileLayer(
        settings={**loose, **{key: setting for part in parts for key, setting in part.settings.items()}},
        files=files,
        engine=next((part.engine for part in reversed(parts) if part.engine), ""),
        image=next((part.image for part in reversed(parts) if part.image), ""),
    )


def _variables(documents: list[Document]) -> dict[str, Setting]:
    found = (
        env_setting(entry.name, entry.text, Origin(layer=Layer.FILE, place=one.name, line=entry.line), entry.part)
        for one in documents
        if one.format in _VARIABLES
        for entry in one.entries
        if entry.kind == "env"
    )
    return {one.key: one for one in found}
