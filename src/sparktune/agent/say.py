"""An answer of the node's own commands in plain words."""

__all__ = ["lines_of", "lines_to_give_up"]

import time
from collections.abc import Iterator
from typing import Any

from sparktune.agent.follow import lines_followed

_NS = 1_000_000_000
_WORDS = {
    "rolled_back": "rolled back",
    "unconfirmed": "applied, waits to be confirmed",
    "committed": "applied",
    "given_up": "what could not be undone was given up",
}
_LEFT = {"foreign": "left as somebody else has it", "gone": "gone", "failed": "not as before"}


def lines_of(answer: dict[str, Any], command: str) -> Iterator[str]:
    """Yield the lines that a person gets to see."""
    if "error" in answer:
        yield answer["error"]["message"]
        return
    if command == "follow":
        yield from lines_followed(answer)
        return
    if "holder" in answer:
        yield from _journal(answer, whole=command == "journal")
        return
    for one in answer.get("recovered", []):
        yield f"{one['transaction']} had not ended: {_state(one['state'])}"
        yield from _steps(one["steps"])
    if "steps" in answer:
        yield from _transacted(answer)
        return
    for one in answer.get("undone", []):
        yield f"{one['transaction']}: {_state(one['state'])}{_because(one.get('why'))}"
        yield from _steps(one["steps"])
    for one in answer.get("reapplied", []):
        yield f"{one['of']} done again: {one['failed'] or _state(one['state'])}"
        yield from _steps(one["steps"])
    for one in answer.get("left", []):
        yield _left_line(one)
    yield _state(answer["state"]) if "transaction" in answer else _sum(answer)


def lines_to_give_up(left: list[dict[str, Any]], folder: str) -> Iterator[str]:
    """Yield what giving up a transaction comes to: what stays as it is, and what was there before."""
    yield "It is tried once more to put these back; what still cannot be put back stays as it is then, for good:"
    yield from map(_left_line, left)
    yield f"The journal keeps what was there before: {folder}/journal.jsonl"


def _left_line(one: dict[str, Any]) -> str:
    found = f"; it is {_value(one['found'])}" if one["found"] is not None else ""
    return f"  {one['item']}: {_LEFT[one['outcome']]}{_because(one['why'])}{found}; it was {_value(one['before'])}"


def _transacted(answer: dict[str, Any]) -> Iterator[str]:
    yield from _steps(answer["steps"])
    if answer["failed"]:
        yield f"failed: {answer['failed']}"
        yield from _steps(answer["undone"])
    if not answer["transaction"]:
        yield "nothing to do"
    else:
        yield f"{answer['transaction']}: {_state(answer['state'])}"


def _journal(answer: dict[str, Any], *, whole: bool) -> Iterator[str]:
    for one in answer["transactions"]:
        began = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(one["began_ns"] // _NS))
        yield f"{one['id']}  {_state(one['state'])}  {one['label']} by {one['who']}, {began}"
        for entry in one["entries"] if whole else ():
            yield f"  {entry['item']}: {_value(entry['before'])} -> {_value(entry['after'])}"
        for left in one["left"]:
            yield _left_line(left)
    if not answer["transactions"]:
        yield "no transactions"
    if answer["holder"]:
        yield f"working now: {answer['holder']}"


def _steps(steps: list[dict[str, Any]]) -> Iterator[str]:
    for step in steps:
        for item, said in step["items"].items():
            yield f"  {item}: {said['outcome']}{_because(said.get('why'))}{_left(said)}"


def _left(said: dict[str, Any]) -> str:
    if said["outcome"] not in {"foreign", "failed"} or "wanted" not in said:
        return ""
    return f"; it is {_value(said.get('found'))}, it was {_value(said['wanted'])}"


def _because(why: str | None) -> str:
    return f" ({why})" if why else ""


def _sum(answer: dict[str, Any]) -> str:
    count = answer["transactions"]
    return "nothing to do" if not count else f"{count} transaction{'s' if count > 1 else ''}: {_state(answer['state'])}"


def _state(state: str) -> str:
    return _WORDS.get(state, state)


def _value(value: str | None) -> str:
    return "nothing" if value is None else repr(value)
