"""A YAML file with its line numbers: values for the program, lines for the person who wrote it."""

__all__ = ["MOST_BYTES", "ConfigText", "Where", "read_config_text"]

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from sparktune.errors import UsageError
from sparktune.formats.broken import known_hint, yaml_hint
from sparktune.formats.compose_yaml import UNREADABLE, refuse_bomb
from sparktune.io.named_file import open_named
from sparktune.units import Bytes

MOST_BYTES: Bytes = 1024 * 1024
_VALUES: Final = re.compile(r' with value ".*')  # ruamel shows the two of a key, but not what is in them

Where = tuple[Any, ...]
"""Keys and list places from the root to a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigText:
    """What a file holds as plain values, and the same with the line of each key; ``text`` is all of it."""

    path: Path
    values: Any
    marked: Any
    text: str = ""

    def mapping(self, where: Where) -> Mapping[str, Any]:
        """Return the mapping at a place; empty when nothing is there. Raises UsageError when it is something else."""
        value = self.values
        for step in where:
            value = value.get(step) if value else None
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise self.error(where, "names and their values are wanted here", hint="write it as NAME: VALUE lines")
        for key in value:
            self.refuse_odd(where, key)
        return value

    def refuse_odd(self, where: Where, name: str) -> None:
        """Raise UsageError for a name that would do something to a terminal that it is shown in."""
        if not name.isprintable():
            raise self.error(where, f"{name!r} is no name", hint="use letters, digits, - and _")

    def error(self, where: Where, message: str, *, hint: str = "") -> UsageError:
        """Make the error for a place in the file: file, line and keys in front of the message."""
        line = self.line(where)
        place = f"{self.path}:{line}" if line else str(self.path)
        keys = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where).lstrip(".")
        return UsageError(f"{place}: {keys}: {message}" if keys else f"{place}: {message}", hint=hint)

    def line(self, where: Where) -> int | None:
        """Return the line of a place, or of the nearest one above it that has one; None for the whole file."""
        node, line = self.marked, None
        for step in where:
            lines = getattr(getattr(node, "lc", None), "data", None) or {}
            if step not in lines:
                return line
            line = lines[step][0] + 1
            node = node[step]
        return line


def read_config_text(path: Path) -> ConfigText:
    """Read a YAML file. Raises UsageError when it cannot be read or is no YAML."""
    try:
        with open_named(path) as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            message = f"{path} is larger than {MOST_BYTES} bytes"
            raise UsageError(message, hint="is this the right file?")
        text = data.decode("utf-8-sig")
        refuse_bomb(text)
        values = YAML(typ="safe", pure=True).load(text)
        return ConfigText(path=path, values=values, marked=YAML().load(text), text=text)
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="look at the path, and whether you may read it") from None
    except UnicodeDecodeError as error:
        message = f"{path} is no UTF-8 text: byte {error.start} is 0x{data[error.start]:02x}"
        raise UsageError(message, hint="save it as UTF-8") from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = error.problem or error.context or ""
        hint = yaml_hint(data.decode("utf-8-sig"), line, problem, error.context or "")
        message = f"{path}:{line}: no YAML: {_VALUES.sub('', ' '.join(problem.split()))}"
        raise UsageError(message, hint=hint) from None
    except RecursionError:
        message = f"{path}: no YAML that can be read: it is nested too deep"
        raise UsageError(message, hint="is this the right file?") from None
    except UNREADABLE as error:
        told = str(error) if isinstance(error, YAMLError | ValueError) else "its parser gives up on it"
        problem = " ".join(told.split())
        message = f"{path}: no YAML: {problem[:200]}"
        raise UsageError(message, hint=known_hint(problem)) from None
