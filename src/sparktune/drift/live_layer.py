"""What is live: what a process was started with, and what its engine says that it runs with instead. Pure.

Sources: vLLM 0.33.0: ``fp8`` is ``fp8_e4m3`` of a cache; its log writes ``torch.bfloat16`` for ``bfloat16``.
"""

__all__ = ["live_layer"]

from collections.abc import Iterable, Mapping
from functools import cache

from sparktune.deploy.knobs import all_knobs
from sparktune.model.setting import Setting, Value


def live_layer(asked: Mapping[str, Setting], resolved: Iterable[Setting]) -> dict[str, Setting]:
    """Return settings by key, later ones of ``resolved`` last.

    A text that an engine says goes before the one that it was given only where the catalogue knows the setting: for
    others, two words may well mean one thing (a folder and the name of a model).
    """
    found = dict(asked)
    for setting in resolved:
        given = asked.get(setting.key)
        if given is None or not _same_word(given.value, setting.value, setting.key):
            found[setting.key] = setting
    return found


def _same_word(given: Value, said: Value, key: str) -> bool:
    if not (isinstance(given, str) and isinstance(said, str)):
        return False
    return key not in _known() or _word(given) == _word(said)


def _word(text: str) -> str:
    bare = text.strip().removeprefix("torch.").lower()
    return {"fp8_e4m3": "fp8"}.get(bare, bare)


@cache
def _known() -> frozenset[str]:
    return frozenset(knob.id for knob in all_knobs())
