"""The functions that the battery offers: names, descriptions, JSON schemas."""

__all__ = ["TOOLS", "tool_fields"]

from collections.abc import Mapping
from typing import Any, Final


def _object(required: str, **properties: Any) -> dict[str, Any]:  # noqa: ANN401 - a schema
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def _text(description: str = "") -> dict[str, Any]:
    return {"type": "string", "description": description} if description else {"type": "string"}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


TOOLS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "get_weather": (
        "Tell the present weather of one city.",
        _object("city", city=_text("The city's name alone"), unit=_one_of("celsius", "fahrenheit")),
    ),
    "get_time": ("Tell the present date and time.", _object("")),
    "set_timer": (
        "Start a timer that rings when it is over.",
        _object("minutes", minutes=_whole(1, 600), label=_text()),
    ),
    "set_light": (
        "Switch the lamp of one room, and set how bright it is.",
        _object("room on", room=_text("The room's name alone"), on={"type": "boolean"}, brightness=_whole(0, 100)),
    ),
    "send_message": (
        "Send a text to one person.",
        _object("to text", to=_text("First name"), text=_text(), urgent={"type": "boolean"}),
    ),
    "convert_currency": (
        "Convert an amount of money.",
        _object(
            "amount source target",
            amount={"type": "number"},
            source=_one_of("EUR", "USD", "JPY", "GBP"),
            target=_one_of("EUR", "USD", "JPY", "GBP"),
        ),
    ),
    "read_file": (
        "Return the text of a file.",
        _object("path", path=_text("Absolute path"), max_lines=_whole(1, 100_000)),
    ),
    "write_file": (
        "Write a text to a file, in the place of what it held.",
        _object("path text", path=_text("Absolute path"), text=_text("The whole new content")),
    ),
    "delete_file": ("Delete one file for good.", _object("path", path=_text("Absolute path"))),
    "find_files": (
        "Find files below a folder by kind.",
        _object(
            "folder kinds",
            folder=_text("Absolute path"),
            kinds={"type": "array", "items": _one_of("image", "video", "text", "archive"), "minItems": 1},
        ),
    ),
    "list_containers": (
        "List the containers of this machine.",
        _object("state", state=_one_of("running", "stopped", "failed", "all")),
    ),
    "restart_container": (
        "Restart one container.",
        _object("name", name=_text("The container's name"), wait_s=_whole(0, 3600)),
    ),
    "create_event": (
        "Put an event into the calendar.",
        _object(
            "title start",
            title=_text(),
            start=_object("date time", date=_text("YYYY-MM-DD"), time=_text("HH:MM, 24 hours")),
            guests={"type": "array", "items": _object("name email", name=_text(), email=_text())},
        ),
    ),
    "save_list": (
        "Keep a list of entries under a name.",
        _object("name entries", name=_text(), entries={"type": "array", "items": _text(), "minItems": 1}),
    ),
}


def tool_fields(name: str) -> dict[str, Any]:
    """Return a function as a request has it. Raises KeyError for one that there is not."""
    description, parameters = TOOLS[name]
    function = {"name": name, "description": description, "parameters": dict(parameters)}
    return {"type": "function", "function": function}
