"""What a node is asked to run: the commands by which services are started and stopped."""

__all__ = ["CommandEnd", "Commands"]

from collections.abc import Callable, Mapping, Sequence

import msgspec

from sparktune.io.transport.conversation import Conversation
from sparktune.io.transport.wire import decode_part
from sparktune.units import Seconds

# The node ends a command whose time is over, and asks it first; what it says then still has to arrive.
_ENDING_S: Seconds = 60.0


class CommandEnd(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a command ended: its exit code, negative for a signal; ``why`` it was ended, "" when it ended by itself.

    ``missed_lines`` of its output were not passed on.
    """

    code: int
    why: str = ""
    missed_lines: int = 0


class _Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    line: str


class Commands(Conversation):
    """The verb that runs. Beside NodeError it raises what the agent refuses.

    ChangeFailed: the command is not on the node's list, or not on the node. NodeBusy: another one of the same turn
    still runs. NodeNeedsRoot. After another error nobody knows how the command ended: it goes on by itself.
    """

    async def run(
        self,
        argv: Sequence[str],
        *,
        folder: str = "",
        environment: Mapping[str, str] | None = None,
        limit_s: Seconds = 900.0,
        turn: str = "",
        on_line: Callable[[str], None] = lambda _line: None,
    ) -> CommandEnd:
        """Run a command to its end, telling each line that it says; ``turn`` names what it must not be run beside."""
        number = self._ask(
            "run", argv=list(argv), folder=folder, environment=dict(environment or {}), limit_s=limit_s, turn=turn
        )
        # Waiting for the turn takes of the command's own time.
        async with self._explained(self._limit_s + limit_s + _ENDING_S):
            while True:
                raw, last = await self._next(number)
                if last:
                    return decode_part(raw, CommandEnd)
                on_line(decode_part(raw, _Line).line)
