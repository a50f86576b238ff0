"""Set plain keys of services in a compose file's text; every other byte stays: comments, order, quotes, line ends.

The text is not written anew from its data, which would lose what people put into it: a value is replaced, or a line
added, at the place that the parser names. Whatever form the file has, the outcome is read again, and refused unless it
says the same as before but for the keys that were set.

Source: YAML 1.2 for block and flow style, anchors and merges; ruamel.yaml's marks, which count characters.
"""

__all__ = ["raw_services", "set_in_services"]

import re
from collections.abc import Mapping
from typing import Any

from ruamel.yaml.nodes import MappingNode, ScalarNode

from sparktune.formats.broken import parsed_yaml
from sparktune.formats.compose_add import neighbour
from sparktune.formats.compose_yaml import same_data
from sparktune.formats.yaml_edit import added_member

_LOST = "\ufffd"  # what decoding puts in the place of bytes that are no UTF-8: writing it back would destroy them
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9._,:/-]+", re.ASCII)


def raw_services(text: str) -> Mapping[str, Mapping[Any, Any]]:
    """Return the services of a compose file as it has them: merges done, variables not filled in.

    Raises ValueError when it is no compose file.
    """
    values = _loaded(text)
    services = values.get("services") if isinstance(values, dict) else None
    if not isinstance(services, dict) or not services:
        message = "no services in it"
        raise ValueError(message)
    return {str(name): settings for name, settings in services.items() if isinstance(settings, dict)}


def set_in_services(text: str, wanted: Mapping[str, Mapping[str, str]]) -> str:
    """Return the text in which services (by name) have these values.

    Values that are so already are not touched. Raises ValueError, with the reason, where that cannot be done without
    changing what else the file says.
    """
    if _LOST in text:
        message = "it is not all UTF-8"
        raise ValueError(message)
    before = _loaded(text)
    edited = text
    for service, values in wanted.items():
        for key, value in values.items():
            present = raw_services(edited).get(service)
            if present is None:
                message = f"service {service}: not in it, or no mapping"
                raise ValueError(message)
            if present.get(key) != value:
                edited = _with_value(edited, service, key, value)
    _check(before, edited, wanted)
    return edited


def _loaded(text: str) -> Any:  # noqa: ANN401 - what the file's author wrote
    return parsed_yaml(text, ())[0]


def _with_value(text: str, service: str, key: str, value: str) -> str:
    if _PLAIN_VALUE.fullmatch(value) is None:
        message = f"{value!r} is no value for {key}"
        raise ValueError(message)
    node = _service_node(text, service)
    for known, old in node.value:
        if isinstance(known, ScalarNode) and known.value == key:
            return _replaced(text, f"service {service}: its {key}", known, old, value)
    for edit in added_member(text, node, key, (f'"{value}"',), neighbour(node)):
        return edit.of(text)
    message = "its keys do not each begin a line"
    raise ValueError(message)


def _service_node(text: str, service: str) -> MappingNode:
    root = parsed_yaml(text, ())[1]
    name, services = _member(root, "services")
    if services.start_mark.index < name.end_mark.index:
        message = "its services are an alias of another part"
        raise ValueError(message)
    name, node = _member(services, service)
    if node.start_mark.index < name.end_mark.index:
        message = f"service {service}: it is an alias of another part, which others may use"
        raise ValueError(message)
    if not isinstance(node, MappingNode) or not node.value:
        message = f"service {service}: no mapping with keys of its own"
        raise ValueError(message)
    return node


def _member(node: Any, key: str) -> tuple[Any, Any]:  # noqa: ANN401 - nodes of ruamel.yaml, which are not typed
    for name, value in node.value if isinstance(node, MappingNode) else ():
        if isinstance(name, ScalarNode) and name.value == key:
            return name, value
    message = f"{key}: not written in the file itself (merged from another part?)"
    raise ValueError(message)


def _replaced(text: str, what: str, key: Any, old: Any, value: str) -> str:  # noqa: ANN401 - see above
    start, end = old.start_mark.index, old.end_mark.index
    if start < key.end_mark.index:
        message = f"{what} is an alias of another part"
        raise ValueError(message)
    if not isinstance(old, ScalarNode) or old.anchor:
        message = f"{what} is no plain value, or has an anchor that others may use"
        raise ValueError(message)
    if "$" in old.value:
        message = f"{what} comes from a variable ({old.value[:60]}): set that in the environment or in .env"
        raise ValueError(message)
    if not text[start:end].strip():  # nothing after the colon: the mark is that of what follows
        colon = text.find(":", key.end_mark.index)
        return f'{text[: colon + 1]} "{value}"{text[colon + 1 :]}'
    if old.start_mark.line != old.end_mark.line or old.style in {"|", ">"}:
        message = f"{what} is written over several lines"
        raise ValueError(message)
    return f'{text[:start]}"{value}"{text[end:]}'


def _check(before: Any, edited: str, wanted: Mapping[str, Mapping[str, str]]) -> None:  # noqa: ANN401 - see above
    services = {
        name: {**settings, **wanted[str(name)]} if str(name) in wanted else settings
        for name, settings in before["services"].items()
    }
    try:
        same = same_data({**before, "services": services}, _loaded(edited))
    except (ValueError, RecursionError):
        same = False
    if not same:
        message = "editing it would change more than that"
        raise ValueError(message)
