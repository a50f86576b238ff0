"""Units of a captured tree: the answers of ``systemctl``, and how they follow from files.

Sources: systemctl(1), show and get-default (which reads the link default.target); systemd.unit(5), the folders of
unit files by priority and the order of drop-ins; systemd.resource-control(5), AllowedCPUs=: lists add up, an empty one
clears those before it. After a reload the property is what the files say, but no control group changes (seen with
systemd 257).
"""

__all__ = ["TreeFiles", "Units"]

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sparktune.agent.machine_files import Captured, Files
from sparktune.agent.numbers import cpus_of, format_cpus
from sparktune.agent.protocol import command_slug
from sparktune.agent.tree import Tree
from sparktune.agent.tree_texts import Texts

_FOLDERS = (
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
_DEFAULT_LINK = "/etc/systemd/system/default.target"
_DEFAULT_TEXT = f"/commands/{command_slug(('systemctl', 'get-default'))}.txt"
_LISTED = "AllowedCPUs"
_GRAPHICAL, _MULTI_USER = "graphical.target", "multi-user.target"


class Units:
    """What ``systemctl show`` and ``is-active`` answered, wherever the tree keeps such an answer."""

    def __init__(self, texts: Texts) -> None:
        """Take the texts."""
        self._texts = texts

    def property_of(self, unit: str, name: str) -> str | None:
        """Return a property of a unit, None when no answer has it; "" of one that was asked for and left out."""
        for path in self._answers(unit, name):
            block = _block(self._texts.read(path) or "", unit)
            if block is not None:
                return _value(block, name)
            return ""
        if name == "ActiveState":
            text = self._texts.read(_is_active(unit))
            return None if text is None else text.strip()
        return None

    def has_block(self, unit: str) -> bool:
        """Tell whether the answers that name a unit's AllowedCPUs really have it."""
        paths = list(self._answers(unit, _LISTED))
        return not paths or _block(self._texts.read(paths[0]) or "", unit) is not None

    def show_property(self, unit: str, name: str, value: str, *, there: bool = True) -> None:
        """Write a property into all answers; ``there`` False takes the unit out of them."""
        for path in reversed(list(self._answers(unit, name))):
            text = self._texts.read(path) or ""
            block = _block(text, unit)
            if block is None and there:
                text += ("\n" if text.strip() else "") + f"Id={unit}\n{name}={value}\n"
            elif block is not None and not there:
                text = text.replace(block, "").removesuffix("\n") if text.endswith(block) else text.replace(block, "")
            elif block is not None:
                text = text.replace(block, _with_value(block, name, _as_systemd_has(name, value)))
            self._texts.replace(path, text)

    def show_state(self, unit: str, state: str) -> None:
        """Write whether a unit is active into all answers."""
        self.show_property(unit, "ActiveState", state)
        with suppress(OSError):
            self._texts.replace(_is_active(unit), state + "\n")

    def isolate(self, target: str) -> None:
        """Write that a target is active; multi-user.target is part of graphical.target, which ends with it alone."""
        self.show_state(target, "active")
        other = {_MULTI_USER: _GRAPHICAL, _GRAPHICAL: _MULTI_USER}.get(target)
        if other is not None and self.property_of(other, "ActiveState") is not None:
            self.show_state(other, "active" if target == _GRAPHICAL else "inactive")

    def write_drop_in(self, unit: str, name: str, value: str, files: Files) -> None:
        """Write the file that systemd itself writes for ``set-property --runtime``."""
        section = "Scope" if unit.endswith(".scope") else "Slice" if unit.endswith(".slice") else "Service"
        text = f"# Written as by systemctl set-property\n[{section}]\n{name}=\n{name}={value}\n"
        # Where systemd 252 writes: scopes have no file of their own.
        folder = "/run/systemd/transient" if unit.endswith(".scope") else "/run/systemd/system.control"
        path = f"{folder}/{unit}.d/50-{name}.conf"
        files.put_file(path, {"text": text, "mode": 0o644})

    def reload(self) -> None:
        """Let AllowedCPUs of the units in the answers follow their files, where they say it."""
        for unit in self._listed_units():
            shown, cpus = self.property_of(unit, _LISTED), self._from_files(unit)
            known, original = self._texts.remembered(unit)
            if cpus is not None and shown is not None and cpus != cpus_of(shown):
                self._texts.remember(unit, shown if self.has_block(unit) else None)
                self.show_property(unit, _LISTED, format_cpus(cpus))
            elif cpus is None and known:
                self.show_property(unit, _LISTED, original or "", there=original is not None)
                self._texts.forget(unit)

    def follow_default(self) -> None:
        """Let ``systemctl get-default`` answer what the link says."""
        text = self._texts.read(_DEFAULT_TEXT)
        if text is None:
            return
        known, original = self._texts.remembered("get-default")
        found: Captured = Files(self._texts.tree).capture(_DEFAULT_LINK)
        target = (found or {}).get("target")
        if target is not None:
            wanted = target.rpartition("/")[2] + "\n"
            if wanted != text:
                self._texts.remember("get-default", text)
                self._texts.replace(_DEFAULT_TEXT, wanted)
            if wanted == original:
                self._texts.forget("get-default")
        elif known:
            self._texts.replace(_DEFAULT_TEXT, original or "")
            self._texts.forget("get-default")

    def _answers(self, unit: str, name: str) -> Iterator[str]:
        """Yield the answers of ``systemctl show`` that have a property of a unit, or were asked for it."""
        for file in self._texts.names("/commands"):
            if file.startswith("systemctl-show") and file.endswith(".txt"):
                words = f"-{file.removesuffix('.txt')}-"
                block = _block(self._texts.read(f"/commands/{file}") or "", unit)
                asked = f"-{name}-" in words and f"-{unit}-" in words
                if asked if block is None else _value(block, name) is not None:
                    yield f"/commands/{file}"

    def _listed_units(self) -> list[str]:
        units: dict[str, None] = {}
        for file in self._texts.names("/commands"):
            if file.startswith("systemctl-show") and f"-{_LISTED}-" in file:
                words = file.removesuffix(".txt").partition(f"-{_LISTED}-")[2]
                units |= dict.fromkeys(re.findall(r"[\w.]+\.(?:slice|scope)", words))
                units |= dict.fromkeys(
                    re.findall(r"^Id=(.+)$", self._texts.read(f"/commands/{file}") or "", re.MULTILINE)
                )
        return list(units)

    def _from_files(self, unit: str) -> frozenset[int] | None:
        """Return the list of a unit's files, None when none of them sets it."""
        main = next((text for folder in _FOLDERS if (text := self._texts.read(f"{folder}/{unit}")) is not None), "")
        drop_ins: dict[str, str] = {}
        for folder in _FOLDERS:
            for name in self._texts.names(f"{folder}/{unit}.d"):
                if name.endswith(".conf"):
                    drop_ins.setdefault(name, self._texts.read(f"{folder}/{unit}.d/{name}") or "")
        cpus: frozenset[int] | None = None
        for text in (main, *(drop_ins[name] for name in sorted(drop_ins))):
            for value in re.findall(rf"^[\t ]*{_LISTED}[\t ]*=[\t ]*(.*?)[\t ]*$", text, re.MULTILINE):
                with suppress(ValueError):
                    cpus = (cpus or frozenset()) | cpus_of(value) if value else frozenset()
        return cpus


class TreeFiles(Files):
    """Files of settings in a tree; one of them is read by ``systemctl get-default`` at once."""

    def __init__(self, tree: Tree, units: Units) -> None:
        """Take the tree and the units."""
        super().__init__(tree)
        self._units = units

    def put_link(self, path: str, wanted: dict[str, Any]) -> None:
        """Make a link."""
        super().put_link(path, wanted)
        self._follow(path)

    def remove(self, path: str) -> None:
        """Remove a file or link."""
        super().remove(path)
        self._follow(path)

    def tidy(self, path: str, before: Captured) -> None:
        """Remove what was begun, and let follow what did not yet."""
        super().tidy(path, before)
        self._follow(path)

    def _follow(self, path: str) -> None:
        if path == _DEFAULT_LINK:
            self._units.follow_default()


def _is_active(unit: str) -> str:
    return f"/commands/{command_slug(('systemctl', 'is-active', unit))}.txt"


def _block(text: str, unit: str) -> str | None:
    """Return the lines of one unit; blank lines part units."""
    blocks = re.findall(r"(?:^.+(?:\n|\Z))+", text, re.MULTILINE)
    return next((block for block in blocks if re.search(rf"^Id={re.escape(unit)}$", block, re.MULTILINE)), None)


def _value(block: str, name: str) -> str | None:
    found = re.search(rf"^{name}=(.*)$", block, re.MULTILINE)
    return None if found is None else found[1]


def _with_value(block: str, name: str, value: str) -> str:
    return re.sub(rf"^{name}=.*$", lambda _match: f"{name}={value}", block, count=1, flags=re.MULTILINE)


def _as_systemd_has(name: str, value: str) -> str:
    return value.replace(",", " ") if name == _LISTED else value
