"""Which files are one: a compose file with its override, a unit with its drop-ins. The later ones count.

Source: docs.docker.com, "Merge" (``compose.override.yaml`` beside ``compose.yaml``: variables and keys one by one, the
command as a whole); systemd.unit(5) (``NAME.service.d/*.conf``, in the order of their names).
"""

__all__ = ["together"]

import re
from collections.abc import Iterator, Sequence

from sparktune.model.document import Document

_STARTING = frozenset({"compose", "recipe", "unit", "command"})
_OVERRIDE = re.compile(r"(?P<base>.*)\.override(?P<end>\.ya?ml)")
_YAML = re.compile(r"\.ya?ml$")
_DROP_IN = re.compile(r"(?P<unit>[^/]+\.service)\.d/[^/]+\.conf$")


def together(documents: Sequence[Document]) -> Iterator[tuple[Document, ...]]:
    """Yield the files that start something, each with those that are laid over it behind it."""
    starting = [one for one in documents if one.format in _STARTING]
    bases = {_own_name(one): one for one in reversed(starting) if not _base_name(one)}
    over: dict[str, list[Document]] = {}
    for one in sorted(starting, key=lambda document: document.name):
        name = _base_name(one)
        if name in bases and bases[name].format == one.format:
            over.setdefault(name, []).append(one)
    laid = {id(one) for several in over.values() for one in several}
    for one in starting:
        if id(one) not in laid:
            yield (one, *(over.get(_own_name(one), ()) if bases.get(_own_name(one)) is one else ()))


def _own_name(document: Document) -> str:
    """Return the name by which another file would be laid over this one."""
    if document.format == "unit":
        return document.name.rsplit("/", 1)[-1]
    return _YAML.sub("", document.name)


def _base_name(document: Document) -> str:
    """Return the name of what a file is laid over, "" for one that stands alone."""
    if document.format == "unit":
        found = _DROP_IN.search(document.name)
        return found["unit"] if found else ""
    found = _OVERRIDE.fullmatch(document.name) if document.format == "compose" else None
    return found["base"] if found else ""
