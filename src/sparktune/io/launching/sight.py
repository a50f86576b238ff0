"""What launchers want to see of the nodes before an experiment touches anything."""

__all__ = ["in_rounds", "see"]

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import fields, replace
from typing import Final

from sparktune.io.launching.settings import HoldSettings
from sparktune.io.together import together
from sparktune.io.transport.readable import ReadableNode
from sparktune.io.transport.session import NodeSession
from sparktune.model.launcher import Seen
from sparktune.model.reads import Read, Readings

_ROUNDS: Final = 6  # a compose file, what it includes, their variables, the image: one names the next

Wanted = Callable[[Seen], Mapping[str, Sequence[Read]]]
"""What is to be read, when this was seen; it may name what was read already."""


async def see(wanted: Wanted, settings: HoldSettings) -> Seen:
    """Read the nodes until nothing new is asked for. Raises NodeError, UsageError, and what ``wanted`` raises."""
    seen: dict[str, Readings] = {}
    done: dict[str, set[Read]] = {}
    async with AsyncExitStack() as stack:
        sessions: dict[str, NodeSession] = {}
        for _round in range(_ROUNDS):
            asked = {
                node: new
                for node, reads in wanted(seen).items()
                if (new := [read for read in dict.fromkeys(reads) if read not in done.get(node, ())])
            }
            if not asked:
                break
            for node in asked.keys() - sessions.keys():
                sessions[node] = await stack.enter_async_context(NodeSession(settings.target(node)))
            answers = await together(*(sessions[node].observe(asked[node]) for node in asked))
            for node, answer in zip(asked, answers, strict=True):
                seen[node] = _merged(seen.get(node, Readings()), answer)
                done.setdefault(node, set()).update(asked[node])
    return seen


async def in_rounds(
    node: ReadableNode, wanted: Callable[[Readings | None], Sequence[Read]], *, rounds: int = _ROUNDS
) -> AsyncIterator[Readings]:
    """Yield what one node has answered so far after every round, until nothing new is asked for.

    ``wanted`` is first asked with None. Raises NodeError, and what ``wanted`` raises: what was yielded before is true.
    """
    done: set[Read] = set()
    seen: Readings | None = None
    for _round in range(rounds):
        asked = [read for read in dict.fromkeys(wanted(seen)) if read not in done]
        if not asked:
            return
        seen = _merged(seen or Readings(), await node.observe(asked))
        done.update(asked)
        yield seen


def _merged(one: Readings, other: Readings) -> Readings:
    return replace(
        one, **{field.name: {**getattr(one, field.name), **getattr(other, field.name)} for field in fields(one)}
    )
