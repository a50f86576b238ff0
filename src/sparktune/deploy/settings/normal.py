"""A command line or an environment -> settings in normal form, and what of it does not count.

Source: vLLM 0.33.0, ``utils/argparse_utils.py``: dotted options of one spelling are merged into one map, which is put
at the end of the command line; of several that set one option the last counts, whole, without a warning. So a dotted
option drops a map that was given as JSON, and ``-sc.x`` drops ``--speculative-config.y``.
"""

__all__ = ["Normal", "normal_form", "options_at", "same_named", "settings_of_map"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sparktune.deploy.settings.config_file import words_of_config
from sparktune.deploy.settings.given import Given, given_in
from sparktune.deploy.settings.leaves import Leaf, leaves_of, merged
from sparktune.deploy.settings.values import word_of
from sparktune.model.document import Word
from sparktune.model.setting import Dropped, Grammar, Layer, Origin, Setting, Value
from sparktune.redact import MASK, redact_argv

_ANOTHER = "it is given again, and the last one counts"
_WHOLE = "its map is given in two forms; the later one replaces it whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """``settings`` in the order in which they count, ``dropped`` what was written and does not."""

    settings: tuple[Setting, ...]
    dropped: tuple[Dropped, ...] = ()

    @property
    def values(self) -> Mapping[str, Value]:
        """The values by key."""
        return {setting.key: setting.value for setting in self.settings}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Assignment:
    """All that one option is set to at one place of the command line."""

    name: str
    form: str
    leaves: tuple[Leaf, ...]
    lost: tuple[tuple[Leaf, Leaf], ...] = ()


def normal_form(
    words: Sequence[Word],
    grammar: Grammar,
    *,
    origin: Origin | None = None,
    part: str = "",
    configs: Mapping[str, str] | None = None,
) -> Normal:
    """Return the settings of a command line.

    ``words`` are all of it, or its options alone; ``origin`` says where it is (lines are those of the words);
    ``configs`` are texts of files that an option may name, by that name.
    """
    where = origin or Origin(layer=Layer.FILE, place="")
    rest = words[options_at(words, grammar) :]
    given = list(given_in(rest, grammar, where))
    file = next((one.value for one in given if grammar.config and one.name == grammar.config), None)
    if isinstance(file, str) and file in (configs or {}):
        lines = words_of_config((configs or {})[file], grammar)
        given = [*given_in(lines, grammar, Origin(layer=where.layer, place=file, node=where.node)), *given]
    return same_named(_weighed(_assignments(given), part), grammar)


def same_named(normal: Normal, grammar: Grammar) -> Normal:
    """Return settings in which keys that say the same have one name; where both are given they stay apart."""
    keys = {setting.key for setting in normal.settings}
    names = {key: name for key, name in grammar.same.items() if name not in keys}
    settings = tuple(replace(one, key=names.get(one.key, one.key)) for one in normal.settings)
    return replace(normal, settings=settings)


def options_at(words: Sequence[Word], grammar: Grammar) -> int:
    """Return how many words name the program (``python3 -m vllm...``), 0 where none of its commands is there."""
    # A script may be named behind its interpreter, as the kernel has it: python3 /usr/bin/vllm serve
    for start in (0, 1) if words and _same_program(words[0].text, "python") else (0,):
        for command in grammar.commands:
            named = words[start : start + len(command)]
            if len(named) == len(command) and all(
                _same_program(word.text, wanted) for word, wanted in zip(named, command, strict=True)
            ):
                return start + len(command)
    return 0


def settings_of_map(values: Mapping[str, Value], origin: Origin, *, part: str = "") -> tuple[Setting, ...]:
    """Return the settings of an engine's own map of options, as it echoes or answers it."""
    given = [
        Given(name=name, head="", value=value, written="", origin=origin, form="json") for name, value in values.items()
    ]
    found = _weighed(_assignments(given), part).settings
    return tuple(replace(one, written=f"{one.key}={word_of(one.value)}") for one in found)


def _same_program(word: str, wanted: str) -> bool:
    base = word.rsplit("/", 1)[-1]
    return base == wanted or (wanted == "python" and base.startswith("python"))


def _assignments(given: Sequence[Given]) -> list[_Assignment]:
    """Return them in the order in which the parser sees them: dotted ones are one map, behind all others."""
    plain = [
        _Assignment(name=one.name, form=one.form, leaves=leaves_of(one, ())) for one in given if one.form != "dotted"
    ]
    dotted: dict[str, list[Given]] = {}
    for one in given:
        if one.form == "dotted":
            dotted.setdefault(one.head, []).append(one)
    maps = []
    for group in dotted.values():
        leaves, lost = merged([leaf for one in group for leaf in leaves_of(one, one.path)])
        maps.append(_Assignment(name=group[0].name, form="dotted", leaves=leaves, lost=lost))
    return [*plain, *maps]


def _weighed(assignments: Sequence[_Assignment], part: str) -> Normal:
    last = {one.name: one for one in assignments}
    dropped = [
        Dropped(
            setting=_setting(leaf, one.name, part),
            by=_setting(last[one.name].leaves[0], one.name, part),
            why=_ANOTHER if one.form == last[one.name].form else _WHOLE,
        )
        for one in assignments
        if one is not last[one.name]
        for leaf in one.leaves
    ]
    dropped += [
        Dropped(setting=_setting(old, one.name, part), by=_setting(new, one.name, part), why=_ANOTHER)
        for one in last.values()
        for old, new in one.lost
    ]
    settings = tuple(_setting(leaf, one.name, part) for one in last.values() for leaf in one.leaves)
    return Normal(settings=settings, dropped=tuple(dropped))


def _setting(leaf: Leaf, name: str, part: str) -> Setting:
    last = leaf.path[-1] if leaf.path else name
    return Setting(
        key=".".join((name, *leaf.path)),
        value=_without_secret(last, leaf.value),
        written=leaf.given.written,
        origin=leaf.given.origin,
        part=part,
    )


def _without_secret(name: str, value: Value) -> Value:
    if isinstance(value, str):
        return redact_argv((f"--{name}", value))[1]
    if isinstance(value, tuple):
        return tuple(_without_secret(name, one) for one in value)
    if isinstance(value, Mapping):
        return {key: _without_secret(key, one) for key, one in value.items()}
    if value is not None and not isinstance(value, bool):
        return MASK if redact_argv((f"--{name}", str(value)))[1] == MASK else value
    return value
