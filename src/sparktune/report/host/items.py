"""What became of the items of steps, in few lines: what went well is counted, what did not is named with its reason."""

__all__ = ["DONE_WORDS", "UNDONE_WORDS", "item_lines", "tally_of"]

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sparktune.model.transaction import ItemResult, StepResult
from sparktune.report.host.layout import Look, Tone, paint, wrapped
from sparktune.report.host.words import gathered_targets, grouped_by_thing, tally
from sparktune.units import count_of

DONE_WORDS: Mapping[str, str] = {
    "changed": "changed",
    "already": "so already",
    "managed": "managed",
    "gone": "gone meanwhile",
    "refused": "REFUSED",
    "ineffective": "INEFFECTIVE",
}
UNDONE_WORDS: Mapping[str, str] = {
    "restored": "restored",
    "already": "so already",
    "foreign": "LEFT as somebody else has it",
    "void": "void",
    "gone": "gone meanwhile",
    "failed": "FAILED",
}
_REASONS = {
    "managed": "the kernel places it itself",
    "void": "it was of another boot, and means nothing in this one",
}
_BAD = frozenset({"refused", "ineffective", "failed", "foreign"})
_QUIET = frozenset({"changed", "already", "restored"})


def tally_of(steps: Iterable[StepResult], words: Mapping[str, str]) -> str:
    """Count the items of steps by what became of them: ``20 changed, 1 as wanted already``."""
    return tally(_word(item, words) for step in steps for item in step.items.values())


def item_lines(steps: Sequence[StepResult], words: Mapping[str, str], look: Look, *, undoing: bool) -> Iterator[str]:
    """Yield a line per change, one per device with several vectors, and the items that need a word, each with it."""
    by_change: dict[str, list[StepResult]] = {}
    for step in steps:
        by_change.setdefault(step.change, []).append(step)
    for change, found in by_change.items():
        items = [(item, result) for step in found for item, result in step.items.items()]
        moved = {**words, "changed": "moved"} if {step.kind for step in found} == {"irq"} else words
        yield wrapped(f"{change}: {tally(_word(result, moved) for _, result in items) or 'done'}", look, "  ")
        for device, results in grouped_by_thing(dict(items)).items():
            if device not in dict(items):
                said = tally(_word(result, moved) for result in results)
                yield wrapped(f"{device}, {count_of(len(results), 'vector')}: {said}", look, "    ")
        yield from _named(items, words, look, undoing=undoing)


def _word(result: ItemResult, words: Mapping[str, str]) -> str:
    return words.get(result.outcome, result.outcome)


def _named(
    items: Iterable[tuple[str, ItemResult]], words: Mapping[str, str], look: Look, *, undoing: bool
) -> Iterator[str]:
    """Yield what went otherwise than wished; alike items together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for item, result in items:
        if result.outcome not in _QUIET or (result.why and result.outcome != "already"):
            groups.setdefault((result.outcome, _said(result, undoing=undoing)), []).append(item)
    for (outcome, said), names in groups.items():
        word = words.get(outcome, outcome)
        text = f"{word}: {gathered_targets(names)}{f' ({said})' if said else ''}"
        yield paint(wrapped(text, look, "    "), Tone.BAD if outcome in _BAD else None, look)


def _said(result: ItemResult, *, undoing: bool) -> str:
    why = result.why or _REASONS.get(result.outcome, "")
    parts = [why] if why else []
    if result.found is not None or result.wanted is not None:
        wanted = "was before" if undoing else "wanted"
        parts.append(f"is {_value(result.found)}, {wanted} {_value(result.wanted)}")
    return "; ".join(parts)


def _value(value: str | None) -> str:
    return "not there" if value is None else repr(value) if not value.strip() else value
