"""Where in a command a server's own words begin: behind what starts other programs, variables and interpreters.

Sources: the command lines that vLLM, SGLang, llama.cpp, Ollama and TensorRT-LLM document; the manuals of env(1),
taskset(1), numactl(8), nice(1), timeout(1).
"""

__all__ = ["ASSIGNMENT", "FLAG", "is_server", "known_start", "server_start"]

import re
from collections.abc import Sequence

_PAIRS = frozenset({("vllm", "serve"), ("sglang", "serve"), ("ollama", "serve")})
_PROGRAMS = frozenset({"llama-server", "rpc-server", "ggml-rpc-server", "trtllm-serve"})
_MODULES = ("vllm.entrypoints.", "sglang.launch_server")
FLAG = re.compile(r"-{1,2}[A-Za-z]")
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)
# Programs that start another one, and how many words of theirs stand before it
_WRAPPERS = {
    "exec": 0, "nohup": 0, "command": 0, "time": 0, "sudo": 0, "setsid": 0, "env": 0, "then": 0, "do": 0, "else": 0,
    "tini": 0, "dumb-init": 0, "stdbuf": 0, "numactl": 0, "nice": 0, "ionice": 0, "taskset": 1, "timeout": 1,
    "chrt": 1, "uv": 1,
}  # fmt: skip
_WITH_VALUE = frozenset({"-n", "-u", "-c", "-k", "-s", "-N", "-m", "-i", "-o", "-e", "-C", "--adjustment"})
_LONGEST = 100_000


def is_server(words: Sequence[str]) -> bool:
    """Whether words name a server that is known, perhaps behind others or in a script."""
    return known_start(words) is not None or any(
        known_start(one.split()) is not None for one in words if " " in one and len(one) < _LONGEST
    )


def known_start(words: Sequence[str]) -> tuple[int, int] | None:
    """Return where a known server begins and how many words name it, None where none is known."""
    bases = [word.rsplit("/", 1)[-1] for word in words]
    for place, base in enumerate(bases):
        if (base, bases[place + 1] if place + 1 < len(bases) else "") in _PAIRS:
            return place, 2
        if base in _PROGRAMS:
            return place, 1
        if words[place] == "-m" and place + 1 < len(words) and words[place + 1].startswith(_MODULES):
            start = place
            while start and words[start].startswith("-"):  # options of Python, and then itself
                start -= 1
            return start, place + 2 - start
    return None


def server_start(texts: Sequence[str]) -> tuple[int, int, bool]:
    """Return where a server begins, how many words name it, and whether it is one that is known.

    Of a program that is not known, the first word behind wrappers and variables is taken for it.
    """
    known = known_start(texts)
    if known is not None:
        return *known, True
    place = 0
    while place < len(texts):
        base = texts[place].rsplit("/", 1)[-1]
        if ASSIGNMENT.match(texts[place]):
            place += 1
        elif base in _WRAPPERS:
            place = _behind_options(texts, place + 1) + _WRAPPERS[base]
        else:
            break
    place = min(place, len(texts))
    return place, int(place < len(texts) and not FLAG.match(texts[place])), False


def _behind_options(texts: Sequence[str], place: int) -> int:
    while place < len(texts) and texts[place].startswith("-"):
        place += 1 + (texts[place] in _WITH_VALUE)
    return place
