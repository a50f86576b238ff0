"""What a command line says of a flag, as argparse and its kin read it. Pure.

Sources: argparse (a flag that comes twice has its last value; ``--name=value`` is ``--name value``), the flags of vLLM
and SGLang (``_`` and ``-`` are the same in a name; ``--no-name`` is the opposite of ``--name``). A word that begins
with a dash and is no number is the next flag.
"""

__all__ = ["flag_text", "flag_wrong"]

import json
import re
from collections.abc import Sequence
from typing import Final

_NUMBER: Final = re.compile(r"-\d*\.?\d+(?:[eE][-+]?\d+)?")
_NO: Final = "--no-"


def flag_text(argv: Sequence[str], flag: str) -> str | None:
    """Return the value that counts, "" for a flag without one, None when it is not there or was taken back."""
    wanted, found = _name(flag), None
    opposite = f"{_NO}{wanted.removeprefix('--')}" if wanted.startswith("--") else ""
    for place, word in enumerate(argv):
        name, sign, value = word.partition("=")
        if _name(name) == opposite and word.startswith(_NO):
            found = None
        if not word.startswith("-") or _name(name) != wanted:
            continue
        found = value if sign else " ".join(_values(argv[place + 1 :]))
    return found


def flag_wrong(argv: Sequence[str], flag: str, wanted: str | None) -> bool:
    """Tell whether a command line does not have a flag as it is wanted: None for not at all, "" for without a value."""
    found = flag_text(argv, flag)
    if found is None or wanted is None:
        return found is not wanted
    if wanted == "":
        return found not in {"", "true", "True"} and "=" in _last(argv, flag)
    return not any(_same(one, wanted) for one in (found, found.partition(" ")[0]))


def _last(argv: Sequence[str], flag: str) -> str:
    return [word for word in argv if _name(word.partition("=")[0]) == _name(flag)][-1]


def _values(words: Sequence[str]) -> Sequence[str]:
    end = next((place for place, word in enumerate(words) if _is_flag(word)), len(words))
    return words[:end]


def _is_flag(word: str) -> bool:
    return word.startswith("-") and word != "-" and _NUMBER.fullmatch(word) is None


def _name(flag: str) -> str:
    return flag.replace("_", "-") if flag.startswith("--") else flag


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        pass
    try:
        return bool(json.loads(one) == json.loads(other)) and one[:1] in "{["
    except (ValueError, RecursionError):
        return False
