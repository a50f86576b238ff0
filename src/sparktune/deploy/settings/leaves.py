"""A map that an option is set to, as its single values; and several such maps, laid over one another."""

__all__ = ["Leaf", "leaves_of", "merged"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sparktune.deploy.settings.given import Given
from sparktune.model.setting import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value, where it is in the map, and what said so."""

    path: tuple[str, ...]
    value: Value
    given: Given


def leaves_of(given: Given, path: tuple[str, ...]) -> tuple[Leaf, ...]:
    """Return the single values of what was given; only a whole map (JSON, dotted) is taken apart."""
    if given.form == "plain":
        return (Leaf(path=path, value=given.value, given=given),)
    return tuple(Leaf(path=place, value=value, given=given) for place, value in _walk(path, given.value))


def _simple(value: Value) -> bool:
    """Whether a value is a map whose keys can be parts of a dotted name."""
    return isinstance(value, Mapping) and bool(value) and all(key and "." not in key for key in value)


def merged(leaves: Sequence[Leaf]) -> tuple[tuple[Leaf, ...], tuple[tuple[Leaf, Leaf], ...]]:
    """Lay values over one another: lists grow, all else is replaced. Returns also what was replaced, and by what."""
    kept: dict[tuple[str, ...], Leaf] = {}
    lost: list[tuple[Leaf, Leaf]] = []
    for leaf in leaves:
        old = kept.get(leaf.path)
        if old is not None and isinstance(old.value, tuple) and isinstance(leaf.value, tuple):
            kept[leaf.path] = replace(leaf, value=old.value + leaf.value)
            continue
        if leaf.value == {} and any(_begins(leaf.path, path) for path in kept):
            continue  # an empty map over a map changes nothing
        for path in [path for path in kept if _begins(path, leaf.path) or _begins(leaf.path, path)]:
            gone = kept.pop(path)
            if gone.value != {}:
                lost.append((gone, leaf))
        kept[leaf.path] = leaf
    return tuple(kept.values()), tuple(lost)


def _walk(path: tuple[str, ...], value: Value) -> Iterator[tuple[tuple[str, ...], Value]]:
    if isinstance(value, Mapping) and _simple(value):
        for key, one in value.items():
            yield from _walk((*path, key), one)
    else:
        yield path, value


def _begins(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return other[: len(one)] == one
