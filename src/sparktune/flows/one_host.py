"""Two names that are one host: an address and a name, an alias, this machine by ssh. Decided here, for all commands.

What changes machines refuses them: a profile would be applied twice at once, and undone once. What only reads shows the
host once, and says so; where that would have to be asked before everything else, it shows both, and says so afterwards.
One host is one name in one boot: the boot's id is the kernel's own, and containers, which share it, have names of their
own. The machine's id would not do: an image that is copied to several machines copies it.
A node that does not answer, or does not tell, is no other one's twin: whoever asks it next says what is wrong with it.
"""

__all__ = ["refuse_twins", "second_names", "shown_once"]

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from sparktune.errors import UsageError
from sparktune.flows.look import Look
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import ask_all
from sparktune.io.transport.session import NodeSession
from sparktune.io.transport.wire import Hello
from sparktune.report.bench.words import one_line
from sparktune.units import Seconds

_LIMIT_S: Seconds = 10.0
_Ask = Callable[[Sequence[NodeTarget]], Awaitable[Sequence[object]]]


@dataclass(frozen=True, slots=True)
class _Host:
    """Where two nodes have the same one, they are the same; ``words`` say what it is."""

    key: tuple[str, ...]
    words: str


async def refuse_twins(targets: Sequence[NodeTarget], look: Look | None = None) -> None:
    """Raise UsageError with both names where two of the nodes are one host, before anything is changed there."""
    for first, second, host in await _twins(targets, _asked_in(look) if look is not None else _asked_for(_LIMIT_S)):
        message = f"{first.name} and {second.name} are one host: {host.words}"
        raise UsageError(message, hint=f"name it once, for instance as {first.name}; nothing was changed")


async def shown_once(
    targets: Sequence[NodeTarget], look: Look | None = None
) -> tuple[tuple[NodeTarget, ...], tuple[str, ...]]:
    """Return each host once, by the name that came first, and a note for every name that is left out.

    In a look its own agents are asked; else new ones.
    """
    twins = await _twins(targets, _asked_in(look) if look is not None else _asked_for(_LIMIT_S))
    left_out = {second.name for _, second, _ in twins}
    notes = tuple(
        f"{second.name} is left out: it is {first.name}, which is looked at already ({host.words})"
        for first, second, host in twins
    )
    return tuple(target for target in targets if target.name not in left_out), notes


def second_names(targets: Sequence[NodeTarget], met: Mapping[NodeTarget, Hello]) -> tuple[str, ...]:
    """Return a note for every further name of a host, by what is known already: nobody is asked."""
    hosts = [_folder(target) if target.root is not None else _host(met.get(target)) for target in targets]
    return tuple(
        f"{second.name} is {first.name} by another name ({host.words}): one machine is shown as two"
        for first, second, host in _pairs(targets, hosts)
    )


async def _twins(targets: Sequence[NodeTarget], ask: _Ask) -> tuple[tuple[NodeTarget, NodeTarget, _Host], ...]:
    """Return every node that is one before it in the list, with that one."""
    return _pairs(targets, await _hosts(targets, ask))


def _pairs(
    targets: Sequence[NodeTarget], hosts: Sequence[_Host | None]
) -> tuple[tuple[NodeTarget, NodeTarget, _Host], ...]:
    first: dict[tuple[str, ...], NodeTarget] = {}
    found: list[tuple[NodeTarget, NodeTarget, _Host]] = []
    for target, host in zip(targets, hosts, strict=True):
        if host is None:
            continue
        if host.key in first:
            found.append((first[host.key], target, host))
        first.setdefault(host.key, target)
    return tuple(found)


async def _hosts(targets: Sequence[NodeTarget], ask: _Ask) -> tuple[_Host | None, ...]:
    """Return who each node is, None where nobody knows; machines are asked only where there are two of them."""
    machines = [target for target in targets if target.root is None]
    asked = machines if len(machines) > 1 else []
    answers = dict(zip(asked, await ask(asked), strict=True))
    return tuple(_folder(target) if target.root is not None else _host(answers.get(target)) for target in targets)


def _asked_for(limit_s: Seconds) -> _Ask:
    async def hello(node: NodeSession) -> Hello:
        return await node.hello()

    return lambda targets: ask_all(targets, hello, per_node_timeout=limit_s)


def _asked_in(look: Look) -> _Ask:
    async def hello(target: NodeTarget) -> Hello:
        return await look.of(target).hello()

    return lambda targets: look.each(targets, hello)


def _folder(target: NodeTarget) -> _Host | None:
    path = str(target.root.resolve()) if target.root is not None else ""
    return _Host(("folder", path), f"both are the folder {one_line(path)}")


def _host(answer: object) -> _Host | None:
    if not isinstance(answer, Hello) or not answer.boot_id or not answer.hostname:
        return None
    words = f"both call themselves {one_line(answer.hostname)}, in the same boot"
    return _Host(("machine", answer.boot_id, answer.hostname), words)
