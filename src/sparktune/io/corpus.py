"""Where prompt text comes from: this Python installation, or a file. Nothing is ever downloaded.

The Python corpus is prose (the language reference that ``help()`` shows, in ``pydoc_data.topics``) and code (the
standard library's sources), in turn, so that a window of some thousand characters holds one or the other.
"""

__all__ = ["file_corpus", "python_corpus"]

import hashlib
import importlib
import inspect
import platform
import sys
import sysconfig
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from sparktune.bench.corpus import Corpus
from sparktune.errors import MissingPart, UsageError
from sparktune.io.named_file import open_named
from sparktune.units import Bytes

_PART_CHARS = 24_000  # of one topic or module, so that none fills the corpus
_PARTS = 120  # of each kind
_FEWEST_CHARS = 1_000
_MOST_BYTES: Bytes = 32 * 1024 * 1024
_JOIN = "\n\n"
_DIGEST_CHARS = 12
_DOCUMENTED = ("argparse", "datetime", "decimal", "fractions", "logging", "pathlib", "re", "statistics", "subprocess")


def python_corpus() -> Corpus:
    """Build text from the running Python's own documentation and sources: the same for one installation.

    Raises MissingPart when it ships neither, as some minimal builds do.
    """
    pairs = zip_longest(_topics(), _sources(), fillvalue="")
    text = _JOIN.join(part for pair in pairs for part in pair if part)
    if len(text) < _FEWEST_CHARS:
        text = _JOIN.join(_docstrings())
    if len(text) < _FEWEST_CHARS:
        message = f"this Python ({sys.prefix}) ships neither documentation nor sources to build prompts from"
        raise MissingPart(message, hint="name a text file with --corpus FILE")
    return Corpus(name=f"python-{platform.python_version()}", text=text)


def file_corpus(path: Path) -> Corpus:
    """Read text of the user's own; of a large file the first 32 MiB. Its name carries a digest of what was read.

    Raises UsageError when the file cannot be read, is no UTF-8 text, or is too short to cut prompts from.
    """
    try:
        with open_named(path) as stream:
            data = stream.read(_MOST_BYTES)
    except OSError as error:
        message = f"the corpus {path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint="name a text file with --corpus FILE") from None
    text = _decode(path, data).strip()
    if len(text) < _FEWEST_CHARS:
        message = f"the corpus {path} has {len(text)} characters, prompts need at least {_FEWEST_CHARS:,}"
        raise UsageError(message, hint="name a longer text, or leave --corpus out")
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]
    return Corpus(name=f"file:{path.name}:{digest}", text=text)


def _decode(path: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(data) == _MOST_BYTES and error.start >= len(data) - 3:
            return data[: error.start].decode("utf-8-sig")  # cut inside a character
        message = f"the corpus {path} is no UTF-8 text: byte {error.start} is 0x{data[error.start]:02x}"
        raise UsageError(message, hint="convert it, for instance: iconv -f latin1 -t utf-8") from None
    if "\0" in text:
        message = f"the corpus {path} is no text: it holds a zero byte"
        raise UsageError(message, hint="name a text file with --corpus FILE")
    return text


def _topics() -> Iterator[str]:
    try:
        topics = importlib.import_module("pydoc_data.topics").topics
    except ImportError:
        return
    for name in sorted(topics)[:_PARTS]:
        yield topics[name][:_PART_CHARS].strip()


def _sources() -> Iterator[str]:
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.glob("[a-z]*.py"))[:_PARTS]:
        try:
            with path.open("rb") as stream:
                yield stream.read(_PART_CHARS).decode("utf-8", errors="ignore").strip()
        except OSError:
            continue


def _docstrings() -> Iterator[str]:
    """Without sources, modules still have their docstrings, and those of what they define."""
    seen: set[str] = set()
    for name in _DOCUMENTED:
        module = importlib.import_module(name)
        for value in (module, *filter(callable, vars(module).values())):
            document = inspect.getdoc(value) or ""
            if document not in seen:
                seen.add(document)
                yield document
