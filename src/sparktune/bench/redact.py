"""Take secrets out of what is kept or shown: arguments, addresses, error texts.

Better one word too many hidden than one too few: what is recorded is for repeating a run, and a key is never needed
for that.
"""

__all__ = ["MASK", "redact", "redact_text"]

import re
from collections.abc import Sequence

MASK = "***"

_SECRET_FLAGS = ("--api-key", "--token", "--password", "--header", "-H")  # the word after one of these is hidden whole
_NAME = r"(?:key|token|secret|password|passwd|authorization|cookie)"
_RULES = (
    # https://user:password@host, and https://token@host
    (re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/?#\s@]+@", re.IGNORECASE), rf"\1{MASK}@"),
    # Authorization: Bearer abc
    (re.compile(r"\b(bearer|basic)(\s+|%20)[^\s\"',;]+", re.IGNORECASE), rf"\1\2{MASK}"),
    # a JSON member whose name ends in api_key
    (re.compile(rf"([\"'][\w.-]*{_NAME}[\"']\s*:\s*)(\"(?:[^\"\\]|\\.)*\"|'[^']*')", re.IGNORECASE), rf'\1"{MASK}"'),
    # OPENAI_API_KEY=abc, ?api_key=abc&x=1
    (re.compile(rf"(\b[\w.-]*{_NAME}=)(\"[^\"]*\"|'[^']*'|[^\s&,;\"']+)", re.IGNORECASE), rf"\1{MASK}"),
    # keys that tell what they are
    (re.compile(r"\b(?:sk|hf|nvapi|ghp|gsk)[-_][A-Za-z0-9_-]{16,}"), MASK),
)


def redact(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments with secrets replaced by ``***``; the path given to ``--api-key-file`` stays.

    Arguments that are not valid Unicode come back with those bytes escaped, so that they can be stored and printed.
    """
    cleaned: list[str] = []
    hide_next = False
    for argument in argv:
        flag, equals, _ = argument.partition("=")
        if hide_next:
            cleaned.append(MASK)
        elif equals and flag in _SECRET_FLAGS:
            cleaned.append(f"{flag}={MASK}")
        else:
            cleaned.append(redact_text(argument))
        hide_next = not hide_next and argument in _SECRET_FLAGS
    return tuple(cleaned)


def redact_text(text: str) -> str:
    """Return any text - an address, a server's error - with what looks like a secret replaced by ``***``."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
