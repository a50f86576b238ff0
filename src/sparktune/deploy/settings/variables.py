"""Variables that files give: those that fill ``${NAME}`` in, and those that the process of a service gets.

Source: the compose specification and docs.docker.com, "Environment variables precedence" (the caller's environment,
then ``.env`` or ``--env-file``, fill ``${NAME}`` in; of a service ``environment`` wins over ``env_file``, of whose
files the later one counts; a name without a value takes the caller's); systemd.exec(5) (``EnvironmentFile=`` wins over
``Environment=``); docker run(1) (``-e`` wins over ``--env-file``).
"""

__all__ = ["filling", "process_variables", "value_setting"]

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sparktune.deploy.settings.environment import env_setting
from sparktune.formats.interpolation import filled
from sparktune.formats.kinds import all_formats
from sparktune.model.document import Document, Entry, NotThisFormat
from sparktune.model.setting import Layer, Origin, Setting

_FILES = frozenset({"env", "environment", "docker-env"})
_NAMED_FILE = re.compile(r"env_file(?:\[\d+\])?(?:\.path)?|EnvironmentFile")


def filling(documents: Sequence[Document], caller: Mapping[str, str]) -> dict[str, str]:
    """Return what fills ``${NAME}`` in: files of variables that no service names, ``.env`` first; the caller wins."""
    named = {_base(entry.text) for one in documents for entry in one.entries if _names_file(entry) and entry.text}
    files = [one for one in documents if one.format in _FILES and (_base(one.name) not in named or _is_dot_env(one))]
    found: dict[str, str] = {}
    for one in sorted(files, key=lambda file: not _is_dot_env(file)):
        for entry in one.entries:
            if entry.text is not None:
                found[entry.name] = _filled(entry, one, {**found, **caller})
    return {**found, **caller}


def process_variables(
    sources: Sequence[Document], part: str, documents: Sequence[Document], variables: Mapping[str, str]
) -> dict[str, Setting]:
    """Return the variables of a part by name, filled in.

    ``sources`` are the files that describe it, the later ones laid over the first; ``documents`` have those that it
    names.
    """
    found: dict[str, Setting] = {}
    document = sources[0]
    entries = [(one, entry) for one in sources for entry in one.entries if entry.part == part]
    named = [entry for _, entry in entries if _names_file(entry)]
    own = [(one, entry) for one, entry in entries if entry.kind == "env"]
    files = [(file, entry) for one in named for file in _files(one, document, documents) for entry in file.entries]
    said: dict[str, dict[str, str]] = {}  # by file: a line may use those above it
    for source, entry in (*own, *files) if document.format == "unit" else (*files, *own):
        text = entry.text
        if text is None and document.format == "compose":
            text = variables.get(entry.name)
            if text is None:
                continue
        elif text is not None and document.format == "compose":
            above = said.setdefault(source.name, {}) if source.format in _FILES else {}
            text = above[entry.name] = _filled(entry, source, {**above, **variables})
        origin = Origin(layer=Layer.FILE, place=source.name, line=entry.line)
        found[entry.name] = env_setting(entry.name, text, origin, part)
    return found


def value_setting(entry: Entry, document: Document, text: str | None, key: str) -> Setting:
    """Return an entry as a setting that says ``text``; secrets are gone."""
    setting = env_setting(entry.name, text, Origin(layer=Layer.FILE, place=document.name, line=entry.line), entry.part)
    return replace(setting, key=key)


def _files(entry: Entry, document: Document, documents: Iterable[Document]) -> Iterator[Document]:
    for one in documents:
        if one.format in _FILES and _base(one.name) == _base(entry.text):
            yield _as_docker_reads_it(one) if document.format == "command" else one


def _as_docker_reads_it(document: Document) -> Document:
    docker = next(one for one in all_formats() if one.id == "docker-env")
    try:
        return docker.read(document.name, document.text)
    except NotThisFormat:
        return document


def _filled(entry: Entry, source: Document, variables: Mapping[str, str]) -> str:
    """Return what an entry says; in a file of variables single quotes keep a text as it is."""
    text = entry.text or ""
    raw = "" if entry.span is None else source.text[entry.span.start : entry.span.start + 1]
    return text if source.format in _FILES and raw == "'" else filled(text, variables)


def _names_file(entry: Entry) -> bool:
    return entry.kind == "key" and _NAMED_FILE.fullmatch(entry.name) is not None


def _base(path: str | None) -> str:
    return (path or "").removeprefix("-").rsplit("/", 1)[-1]


def _is_dot_env(document: Document) -> bool:
    return _base(document.name) == ".env"
