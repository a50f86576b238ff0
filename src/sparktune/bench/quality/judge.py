"""Whether a reply to a question of the battery is right, and if not, the first thing that is wrong."""

__all__ = ["judge_reply"]

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from sparktune.bench.quality.item import ToolItem, Wanted
from sparktune.bench.quality.reply import Call, Reply
from sparktune.bench.quality.schema import misfit
from sparktune.bench.quality.tools import TOOLS
from sparktune.model.quality import ItemResult, ItemState

_LENGTH: Final = "length"
# Words by which models mark calls: in a text they are calls that the server did not read as such.
_UNREAD: Final = re.compile(r"<\|?tool_call|<function|\[TOOL_CALLS\]|<\|python_tag\|>|\"(?:name|function)\"\s*:\s*\"")
_ABSENT: Final = object()


def judge_reply(item: ToolItem, reply: Reply) -> ItemResult:
    """Return whether it is right. An answer that was cut off never is, whatever of it arrived."""
    why = _cut(reply) or (_calls(item, reply) if item.wanted else _text(item, reply))
    return ItemResult(id=item.id, calls=bool(item.wanted), state=ItemState.FAIL if why else ItemState.PASS, why=why)


def _cut(reply: Reply) -> str:
    if reply.error:
        return reply.error
    if reply.finish == _LENGTH:
        of_call = " inside a call" if reply.calls else ""
        return f"cut off at the limit of tokens{of_call} (finish_reason length)"
    return "" if reply.finish else "cut off: no finish_reason came"


def _text(item: ToolItem, reply: Reply) -> str:
    if reply.calls:
        return f"calls {_names(reply.calls)}, and no call was needed"
    if not reply.text.strip():
        return "the answer is empty"
    said = reply.text.casefold()
    if item.says and not any(word in said for word in item.says):
        return f"the answer lacks {item.says[0]!r}"
    return ""


def _calls(item: ToolItem, reply: Reply) -> str:
    if not reply.calls:
        if _UNREAD.search(reply.text):
            return "no call, but its text looks like one: does the server's tool-call parser fit the model?"
        return "no call, only text" if reply.text.strip() else "no call, and no text"
    decoded: list[tuple[str, Any]] = []
    for call in reply.calls:
        why, arguments = _decoded(item, call)
        if why:
            return why
        decoded.append((call.name, arguments))
    if len(decoded) != len(item.wanted):
        return f"{len(decoded)} calls ({_names(reply.calls)}), {len(item.wanted)} are right"
    return _matched(item.wanted, decoded)


def _decoded(item: ToolItem, call: Call) -> tuple[str, Any]:
    if call.name not in item.tools:
        return f"calls {call.name!r}, which was not offered", None
    try:
        # A function without arguments may be called with nothing at all.
        arguments = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, RecursionError):
        return f"the arguments of {call.name} are no JSON: {call.arguments[-40:]!r}", None
    why = misfit(arguments, TOOLS[call.name][1])
    return (f"{call.name}: {why}" if why else ""), arguments


def _matched(wanted: Sequence[Wanted], calls: Sequence[tuple[str, Any]]) -> str:
    left = list(calls)
    for want in wanted:
        named = [call for call in left if call[0] == want.name]
        if not named:
            return f"no call of {want.name}, but of {', '.join(name for name, _ in left)}"
        fitting = next((call for call in named if not _wrong(want, call[1])), None)
        if fitting is None:
            return f"{want.name}: {_wrong(want, named[0][1])}"
        left.remove(fitting)
    return ""


def _wrong(want: Wanted, arguments: Any) -> str:  # noqa: ANN401 - any JSON
    for path, accepted in want.arguments.items():
        value = _at(arguments, path)
        if value is _ABSENT:
            return f"{path} is missing"
        if not any(_same(value, one) for one in accepted):
            return f"{path} is {value!r}, not {accepted[0]!r}"
    return ""


def _at(value: Any, path: str) -> Any:  # noqa: ANN401 - any JSON
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _ABSENT
    return value


def _same(value: object, wanted: object) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return value.strip().casefold() == wanted.strip().casefold()
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _names(calls: Sequence[Call]) -> str:
    return ", ".join(call.name for call in calls)
