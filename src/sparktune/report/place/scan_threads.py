"""The threads of a scan for people: each in a line, and each reason once, with the threads that it is for."""

__all__ = ["thread_lines"]

import re
from collections.abc import Iterator, Sequence

from sparktune.model.place import Poller

_NAMED = 12  # threads of a reason; of more the rest is counted


def thread_lines(pollers: Sequence[Poller]) -> Iterator[str]:
    """Yield the lines of threads with one verdict, those that take most first."""
    ordered = sorted(pollers, key=lambda one: -one.cores)
    if len(ordered) == 1:
        yield _head(ordered[0])
        yield from (f"    {word}: {text}" for word, text in _reasons(ordered[0]))
        return
    yield from map(_head, ordered)
    for word in ("why", "seen", "first", "then"):
        for text, those in _by_text(ordered, word).items():
            yield f"    {word} ({_which(those, len(ordered))}): {text}"


def _by_text(pollers: Sequence[Poller], word: str) -> dict[str, list[Poller]]:
    """Return what is said under a word with the threads that it is said of; in a text for several none is named."""
    found: dict[str, list[Poller]] = {}
    for poller in pollers:
        for text in (text for name, text in _reasons(poller) if name == word):
            found.setdefault(_unnamed(text, poller), []).append(poller)
    return {_named(text, those): those for text, those in found.items()}


def _reasons(poller: Poller) -> Iterator[tuple[str, str]]:
    yield "why", poller.why
    if poller.thread.evidence:
        yield "seen", "; ".join(poller.thread.evidence)
    yield "first", poller.fix
    if poller.then:
        yield "then", poller.then


def _unnamed(text: str, poller: Poller) -> str:
    return re.sub(rf"(?<![\w.,/]){poller.thread.tid}(?=@|;|$)", "TID", text)


def _named(text: str, those: Sequence[Poller]) -> str:
    """Return a text that is of one thread only with its number again."""
    return text if len(those) > 1 else re.sub(r"\bTID\b", str(those[0].thread.tid), text)


def _which(those: Sequence[Poller], all_of_them: int) -> str:
    if len(those) == all_of_them:
        return f"all {all_of_them}"
    named = ", ".join(str(one.thread.tid) for one in those[:_NAMED])
    more = f" and {len(those) - _NAMED} more" if len(those) > _NAMED else ""
    return f"tid {named}{more}"


def _head(poller: Poller) -> str:
    thread = poller.thread
    core = thread.windows[-1].core
    kind = f" ({poller.core_kind})" if poller.core_kind else ""
    where = f" on CPU {core}{kind}" if core is not None else ""
    title = f", {poller.known.title}" if poller.known is not None else ""
    return (
        f"  {poller.verdict.value}: tid {thread.tid} ({thread.name}) of process {thread.pid} ({thread.process}){title} "
        f"takes {poller.cores:.2f} core{where}"
    )
