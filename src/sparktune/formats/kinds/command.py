"""Commands that start a server, alone or behind ``docker run``, in a text or a script."""

__all__ = ["FORMAT"]

import re

from sparktune.formats.command_read import read_command
from sparktune.formats.slots import write_entry
from sparktune.model.document import Document, EntryKind, Format

_SERVER = re.compile(
    r"(?:^|[\s/'\"(])(?:vllm\s+serve|sglang\s+serve|ollama\s+serve|llama-server|(?:ggml-)?rpc-server|trtllm-serve"
    r"|(?:docker|podman|nerdctl)\s+(?:container\s+)?run|-m\s+(?:vllm\.entrypoints\.|sglang\.launch_server))(?:[\s'\".]|$)",
    re.MULTILINE,
)


def _recognises(name: str, text: str) -> bool:
    return name.endswith(".sh") or text.startswith("#!") or _SERVER.search(text) is not None


def _read(name: str, text: str) -> Document:
    return read_command(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(read_command, document, part, kind, name, value)


FORMAT = Format(
    id="command", title="serve command or script", recognises=_recognises, read=_read, write=_write, order=70
)
