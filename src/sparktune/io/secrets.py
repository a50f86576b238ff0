"""API keys: where they come from, and a type that never shows them."""

__all__ = ["ApiKey", "Secret", "headers", "read_api_key"]

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparktune.errors import UsageError
from sparktune.io.named_file import open_named

_VARIABLES: Final = ("SPARKTUNE_API_KEY", "OPENAI_API_KEY")
_LONGEST = 16_384  # longer than any key or token; a larger file is some other file


_SHORTEST = 8  # shorter ones, like EMPTY or none, stand for no key; as words of an answer they mean something else
_MASK = b"***"


class Secret:
    """A text that is written nowhere by accident: ``reveal`` is the only way to it."""

    __slots__ = ("_text", "_written")

    def __init__(self, text: str) -> None:
        """Keep the text."""
        self._text = text
        # As a server may repeat it: in JSON with any character escaped, or in a URL.
        self._written = re.compile(b"".join(map(_spellings, text)), re.DOTALL)

    def hide(self, data: bytes, *, keep_length: bool = False) -> bytes:
        """Return what a server sent without this secret, the same object where it holds none.

        ``keep_length`` puts a star for each byte, so that places in ``data`` stay what they are.
        """
        if len(self._text) < _SHORTEST:
            return data
        if self._text.encode() not in data and not any(mark in data for mark in (b"\\", b"%")):
            return data
        return self._written.sub(lambda found: b"*" * len(found[0]) if keep_length else _MASK, data)

    def reveal(self) -> str:
        """Return the text itself, for the one place that sends it."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        message = "a secret cannot be copied"
        raise TypeError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key, or None; ``source`` says where it came from, ``warnings`` what is unsafe about that."""

    secret: Secret | None = None
    source: str = "none"
    warnings: tuple[str, ...] = ()


def read_api_key(
    environ: Mapping[str, str],
    *,
    flag: str | None = None,
    file: Path | None = None,
    variable: str | None = None,
) -> ApiKey:
    """Find the API key: the flag, else the file, else the variable named, else the usual variables.

    An empty variable counts as not set. ``variable`` is a name that the user configured: when it is not set that is
    an error. Raises UsageError for a file that cannot be read and for a key that no HTTP header can carry.
    """
    if flag is not None:
        warning = "an API key on the command line is seen by every user of this machine; use SPARKTUNE_API_KEY"
        return ApiKey(secret=_checked(flag, "--api-key"), source="--api-key", warnings=(warning,))
    if file is not None:
        return _from_file(file)
    if variable is not None:
        if not environ.get(variable):
            message = f"the environment variable {variable}, which should hold the API key, is not set"
            raise UsageError(message, hint=f"set it, for instance: read -rs {variable} && export {variable}")
        return ApiKey(secret=_checked(environ[variable], variable), source=variable)
    for name in _VARIABLES:
        if environ.get(name):
            return ApiKey(secret=_checked(environ[name], name), source=name)
    return ApiKey()


def headers(secret: Secret | None) -> dict[str, str]:
    """Return the header that carries the key, or none."""
    return {} if secret is None else {"Authorization": f"Bearer {secret.reveal()}"}


def _spellings(letter: str) -> bytes:
    code = ord(letter)
    plain = re.escape(letter)
    forms = (plain, rf"\\u(?i:{code:04x})", rf"%(?i:{code:02x})", *(() if letter.isalnum() else (rf"\\{plain}",)))
    return f"(?:{'|'.join(forms)})".encode("utf-8", "surrogatepass")


def _from_file(path: Path) -> ApiKey:
    source = f"file {path}"
    try:
        with open_named(path) as stream:
            status = os.fstat(stream.fileno())
            data = stream.read(_LONGEST + 1)
    except OSError as error:
        message = f"the API key file {path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="name a file that holds the key alone, on one line") from None
    if len(data) > _LONGEST:
        message = f"{path} is no API key file: it is longer than {_LONGEST} bytes"
        raise UsageError(message, hint="name a file that holds the key alone, on one line")
    # A pipe (``--api-key-file <(pass show key)``) has no mode that says anything.
    shared = stat.S_ISREG(status.st_mode) and status.st_mode & (stat.S_IRGRP | stat.S_IROTH)
    warnings = (f"other users of this machine can read {path}; run: chmod 600 {path}",) if shared else ()
    return ApiKey(secret=_checked(data.decode("utf-8", errors="replace"), source), source=source, warnings=warnings)


def _checked(text: str, source: str) -> Secret:
    key = text.strip()
    if not key:
        message = f"the API key from {source} is empty"
        raise UsageError(message, hint="leave it out when the server wants no key")
    if not (key.isascii() and key.isprintable()) or " " in key:
        message = f"the API key from {source} holds characters that no HTTP header can carry"
        raise UsageError(message, hint="the key alone is wanted, on one line, without quotes")
    return Secret(key)
