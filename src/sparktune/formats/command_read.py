"""A command that starts a server, in a text or script of a shell: words, flags, variables, what a container gets.

Source: POSIX, Shell Command Language; the reference of docker run.
"""

__all__ = ["read_command"]

from collections.abc import Iterator

from sparktune.formats.broken import refuse_no_text
from sparktune.formats.container_run import ContainerRun, script_in_container
from sparktune.formats.container_slots import container_slots, new_option
from sparktune.formats.flag_edit import flag_edits, place_before
from sparktune.formats.located import Lines, whole
from sparktune.formats.quoting import Dialect, quoted
from sparktune.formats.serving import Call
from sparktune.formats.slots import Reading
from sparktune.formats.yaml_scalar import Edit
from sparktune.formats.yaml_slots import call_slots, command_of
from sparktune.model.document import Document, EntryKind, NotThisFormat

_PROMPTS = frozenset({"$", "%", ">"})  # of a shell, copied with the command


def read_command(name: str, text: str) -> Reading:
    """Read a command. Raises NotThisFormat with line and hint where it cannot be split into words, or says nothing."""
    refuse_no_text(text)
    lines = Lines(text)
    try:
        call, run = script_in_container(whole(text, start=int(text.startswith("\ufeff"))))
    except ValueError as error:
        place = getattr(error, "place", 0)
        message = f"line {lines.at(place)}: {error}"
        hint = "close it: a shell would wait for more; of a forum's page, copy the command without the words around it"
        raise NotThisFormat(message, line=lines.at(place), hint=hint) from None
    if not call.words and run is None:
        message = "no command in it"
        raise NotThisFormat(message, hint="write the command that starts the server, like vllm serve MODEL --port 8000")
    slots = (*(container_slots("", run, lines) if run else ()), *call_slots("", call, lines))
    document = Document(
        format="command",
        name=name,
        text=text,
        entries=tuple(one.entry for one in slots),
        commands=(command_of("", call, lines),),
    )
    return Reading(
        document=document,
        slots=slots,
        add=lambda _, kind, key, value: _added(call, run, kind, key, value),
        others=call.others,
    )


def _added(call: Call, run: ContainerRun | None, kind: EntryKind, name: str, value: str) -> Iterator[Edit]:
    if kind == "flag":
        yield from flag_edits(call, name, value)
    elif run is not None:
        yield from new_option(run, kind, name, value)
    elif kind == "env" and call.starter:
        first = next((one for one in call.starter if one.text not in _PROMPTS), call.starter[0])
        for form in quoted(value, Dialect.SHELL):
            yield from place_before(first, f"{name}={form}")
