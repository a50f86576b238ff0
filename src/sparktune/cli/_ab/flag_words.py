"""What is said of an experiment file, said of flags: who typed flags is not told to write YAML."""

__all__ = ["in_flags"]

import re
from typing import Final

_LIVE: Final = "say with --live-http PATH:KEYS=A,B how the setting is read back, for instance /props:total_slots=1,4"
_WORDS: Final = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"say under live how the setting is read back, by http and keys or command", _LIVE),
        (r"say under live how it is read back", _LIVE),
        (r"http is a path that begins with a slash, and keys say where in its answer, like a\.b\.0", _LIVE),
        (r"for instance a: \{command: \.\.\.\}", "for instance --a 'COMMAND'"),
        (r"say what differs from a;", "say what differs with --b;"),
        (r"say what differs;", "change --a or --b;"),
        (r"leave b out with aa", "leave --b out with --aa"),
        (r"with aa\b", "with --aa"),
        (r"\burl: (?=http)", "--url "),
        (
            r"write command: \[bash, -c, '\.\.\.'\], and variables under env",
            "write bash -c '...' or env NAME=VALUE ...",
        ),
        (r"for instance ttft_s, or \{metric: ttft_s, margin: 0\.05\}", "for instance --guard ttft_s:0.05"),
        (r"name them all as the knob: ", "name them all with --knob "),
        (r"for instance nodes: \[spark1, spark2\]", "for instance --nodes spark1,spark2"),
    )
)


def in_flags(text: str) -> str:
    """Return a message or a hint with flags in the place of a file's keys."""
    for pattern, words in _WORDS:
        text = pattern.sub(lambda _, words=words: words, text)  # type: ignore[misc]
    return text
