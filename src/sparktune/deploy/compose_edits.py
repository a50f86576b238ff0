"""Where a setting of a compose service is written, and the edit that sets it: the file, or the variable that feeds it.

Source: the compose specification: ``environment:`` goes before ``env_file:``; of files that are merged the later one
counts; ``${NAME:-default}`` is fed by ``.env`` or ``--env-file``, and by the environment in which compose runs, which
goes before both.
"""

__all__ = ["before", "set_service"]

import json
from collections.abc import Mapping
from typing import Any

from sparktune.deploy.compose_seen import ComposeService
from sparktune.deploy.services import ServiceSettings, here
from sparktune.deploy.texts import Texts, document
from sparktune.formats.compose_edit import raw_services
from sparktune.formats.interpolation import filled, references
from sparktune.model.document import Entry, EntryKind

_COMPOSE, _ENV = "compose", "env"


def before(service: ComposeService, kind: EntryKind) -> dict[str, str | None]:
    """Return a service's flags ("" for one without a value), or keys, as its files have them: filled in, merged."""
    resolved = {"services": {service.name: {**service.declared, **service.command}}}
    read = document(_COMPOSE, "docker compose config", json.dumps(resolved))
    return {entry.name: entry.text or "" for entry in read.entries if (entry.part, entry.kind) == (service.name, kind)}


def set_service(service: ComposeService, texts: Texts, settings: ServiceSettings) -> None:
    """Edit the texts so that a service has these settings. Raises ValueError, with the place, where that cannot be."""
    edit = _Edit(service, texts)
    for name, value in settings.env.items():
        edit.variable(name, value)
    for name, value in settings.flags.items():
        edit.entry("flag", name, value)
    for name, value in settings.keys.items():
        edit.entry("key", name, value)
    edit.check(settings)


class _Edit:
    def __init__(self, service: ComposeService, texts: Texts) -> None:
        self._service, self._texts = service, texts

    def variable(self, name: str, value: str | None) -> None:
        if value is None:
            self._without(name)
            return
        for file in reversed(self._service.files):
            found = self._texts.entry(_COMPOSE, file, (self._service.name, "env", name))
            if found is not None:
                self._replace(file, found, value)
                return
        for path in self._service.own:
            if self._texts.entry(_ENV, path, ("", "env", name)) is not None:
                self._texts.write(_ENV, path, ("", "env", name), value)
                return
        self._write(self._last_file(), "env", name, value)

    def entry(self, kind: EntryKind, name: str, value: str | None) -> None:
        for file in reversed(self._service.files):
            found = self._texts.entry(_COMPOSE, file, (self._service.name, kind, name))
            if found is not None:
                if value is None:
                    self._texts.write(_COMPOSE, file, (self._service.name, kind, found.name), None)
                else:
                    self._replace(file, found, value)
                return
        if value is not None:
            self._write(self._file_with_command() if kind == "flag" else self._last_file(), kind, name, value)

    def check(self, settings: ServiceSettings) -> None:
        """Raise ValueError when an edit of one setting, by the variable behind it, has undone that of another."""
        kinds: tuple[tuple[EntryKind, Mapping[str, str | None]], ...] = (
            ("env", settings.env),
            ("flag", settings.flags),
            ("key", settings.keys),
        )
        for kind, wanted in kinds:
            for name, value in wanted.items():
                self._check(kind, name, value)

    def _check(self, kind: EntryKind, name: str, value: str | None) -> None:
        for file in reversed(self._service.files):
            found = self._texts.entry(_COMPOSE, file, (self._service.name, kind, name))
            if found is None:
                continue
            says = self._filled(found)
            if says != value:
                message = (
                    f"{self._where(file)}: {name} would be {says!r}, not {value!r}: another setting needs its variable"
                )
                raise ValueError(message)
            return

    def _without(self, name: str) -> None:
        for file in self._service.files:
            if self._texts.entry(_COMPOSE, file, (self._service.name, "env", name)) is not None:
                self._texts.write(_COMPOSE, file, (self._service.name, "env", name), None)
        for path in self._service.own:
            if self._texts.entry(_ENV, path, ("", "env", name)) is not None:
                self._texts.write(_ENV, path, ("", "env", name), None)

    def _replace(self, file: str, found: Entry, value: str) -> None:
        variable = found.name if found.kind == "env" and found.text is None else _only_variable(found.text or "")
        if variable:
            self._feed(file, found, variable, value)
        else:
            self._write(file, found.kind, found.name, value)

    def _feed(self, file: str, found: Entry, variable: str, value: str) -> None:
        """Set the variable that a value comes from, where the files are what feeds it."""
        says, comes_to = self._filled(found), self._declared(found)
        if says != comes_to and self._untouched(variable):
            message = (
                f"{self._where(file)}: {found.name} comes from {variable}, and that from the environment of docker "
                "compose, which goes before its files: unset it there, or write the value into the file"
            )
            raise ValueError(message)
        paths = self._service.variables
        path = next((one for one in paths if self._texts.entry(_ENV, one, ("", "env", variable)) is not None), paths[0])
        self._texts.write(_ENV, path, ("", "env", variable), value)

    def _untouched(self, variable: str) -> bool:
        return not any(step for step in self._texts.steps() if step.path in self._service.variables) or not variable

    def _write(self, file: str, kind: EntryKind, name: str, value: str) -> None:
        self._texts.write(_COMPOSE, file, (self._service.name, kind, name), value.replace("$", "$$"))

    def _filled(self, found: Entry) -> str | None:
        variables = self._variables()
        if found.text is None:
            return variables.get(found.name) if found.kind == "env" else ""
        return filled(found.text, variables)

    def _variables(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for path in reversed(self._service.variables):
            if not self._texts.text(path):
                continue
            for entry in document(_ENV, path, self._texts.text(path)).entries:
                if entry.kind == "env" and entry.text is not None:
                    known[entry.name] = filled(entry.text, known)
        return known

    def _declared(self, found: Entry) -> str | None:
        if found.kind == "env":
            return self._service.environment.get(found.name)
        return before(self._service, found.kind).get(found.name)

    def _last_file(self) -> str:
        return next(file for file in (*reversed(self._having(())), self._nowhere()) if file)

    def _file_with_command(self) -> str:
        having = self._having(("command",)) or self._having(("entrypoint",))
        if having:
            return having[-1]
        message = (
            f"{here(self._service.node)}: service {self._service.name} has no command in its files: what it runs is "
            "its image's own; write it as command: into the file first"
        )
        raise ValueError(message)

    def _having(self, keys: tuple[str, ...]) -> list[str]:
        found = []
        for file in self._service.files:
            service: Mapping[Any, Any] | None = raw_services(self._texts.text(file)).get(self._service.name)
            if service is not None and all(service.get(key) for key in keys):
                found.append(file)
        return found

    def _nowhere(self) -> str:
        if self._having(()):
            return ""
        message = (
            f"{here(self._service.node)}: service {self._service.name} is not written in "
            f"{', '.join(self._service.files)} itself (include, extends?): it cannot be edited there"
        )
        raise ValueError(message)

    def _where(self, file: str) -> str:
        return f"{here(self._service.node)}: {file}"


def _only_variable(text: str) -> str:
    """Return the variable that a whole value is taken from, "" when it is more than that."""
    found = references(text)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(text)) and not found[0].how.endswith(("+", "?")):
        return found[0].name
    return found[0].name if len(found) == 1 and found[0].how.endswith("?") and len(text) == found[0].end else ""
