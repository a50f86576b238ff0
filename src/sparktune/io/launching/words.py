"""Commands with the caller's variables filled in, and the same commands as they may be shown and kept."""

__all__ = ["SHORTEST_SECRET", "Words"]

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from sparktune.errors import UsageError
from sparktune.redact import MASK, redact_argv, redact_text

_VARIABLE: Final = re.compile(r"(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SHORTEST_SECRET = 8  # hiding shorter texts would hide words that mean something else


class Words:
    """What ``${NAME}`` means, taken from the caller's environment; ``$${NAME}`` is written for the text itself."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Keep the environment, and remember its secrets: values of variables whose names say so."""
        self._environment = environment
        self._secrets = {value for name, value in environment.items() if _is_secret(name, value)}

    def filled(self, text: str) -> str:
        """Return the text with values for names. Raises UsageError for a variable that is not set."""
        return _VARIABLE.sub(self._value, text)

    def argv(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return a command as it is started; what stands where a secret is expected counts as one from now on."""
        filled = tuple(map(self.filled, words))
        for word, hidden in zip(filled, redact_argv(filled), strict=True):
            if hidden == MASK:
                self._add(word)
        return filled

    def variables(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return variables as they are set."""
        filled = {name: self.filled(text) for name, text in given.items()}
        for name, value in filled.items():
            if _is_secret(name, value):
                self._add(value)
        return filled

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every value that must not be written anywhere, the longest first."""
        return tuple(sorted(self._secrets, key=len, reverse=True))

    def hide(self, text: str) -> str:
        """Return any text without secrets."""
        return redact_text(self._without(text))

    def hide_value(self, name: str, value: str) -> str:
        """Return the value of a variable as it can be shown."""
        return MASK if _is_secret(name, value) else self.hide(value)

    def line(self, argv: Iterable[str]) -> str:
        """Return a command as one line that can be shown."""
        return shlex.join(redact_argv(map(self._without, argv)))

    def _without(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text

    def _value(self, found: re.Match[str]) -> str:
        if found[1]:
            return found[0][1:]
        value = self._environment.get(found[2])
        if not value:
            message = f"the environment variable {found[2]}, which a command of the experiment uses, is not set"
            raise UsageError(message, hint=f"set it, for instance: read -rs {found[2]} && export {found[2]}")
        return value

    def _add(self, value: str) -> None:
        if len(value) >= SHORTEST_SECRET:
            self._secrets.add(value)


def _is_secret(name: str, value: str) -> bool:
    if len(value) < SHORTEST_SECRET or redact_text(f"{name}=value") == f"{name}=value":
        return False
    return not (value.startswith("/") and _exists(value))  # PWD, SSH_AUTH_SOCK: the name says it, and a place is none


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False
