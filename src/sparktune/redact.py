"""Take secrets out of what is kept or shown: command lines, addresses, error texts, environments.

A value is secret when its name says so (``--api-key``, ``HF_TOKEN=``), when its form is that of a known token, or when
it is the login of a URL. What is recorded is for repeating a run or seeing drift, and a key is never needed for that.
"""

__all__ = ["MASK", "redact_argv", "redact_text"]

import re
from collections.abc import Iterable

MASK = "***"

_SECRET_NAME = re.compile(
    r"(?:api[-_]?key|access[-_]?key|private[-_]?key|auth|bearer|cookie|credential|passphrase|passw(?:or)?d|secret)s?"
    r"|(?:^|[-_])(?:token|key|pass|pwd)$",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"[-_](?:file|path|env)$", re.IGNORECASE)  # names where a secret is, and is none
_HEADER_FLAGS = frozenset({"-H", "--header"})
_SCHEMES = frozenset({"bearer", "basic"})
_VALUE = r"'[^']*'|\"[^\"]*\"|[^\s'\"&;]+"

_URL_LOGIN = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/?#\s@]+@", re.IGNORECASE)
_BEARER = re.compile(r"\b(bearer|basic)(\s+|%20)[^\s\"',;]+", re.IGNORECASE)
_JSON_MEMBER = re.compile(r"""(?P<quote>["'])(?P<name>[\w.-]+)(?P=quote)\s*:\s*(?P<value>"(?:[^"\\]|\\.)*"|'[^']*')""")
_ASSIGNED = re.compile(rf"(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)(?P<mark>[=:]\s?)(?P<value>{_VALUE})")
_FLAG_VALUE = re.compile(rf"(?P<name>(?<!\S)--?[A-Za-z][A-Za-z0-9_.\-]*)(?P<mark>\s+)(?P<value>{_VALUE})")
_KNOWN_TOKEN = re.compile(
    r"\b(?:(?:hf|sk|gsk|ghp|gho|nvapi|glpat|github_pat|xox[abp])[-_][A-Za-z0-9_-]{10,}|AKIA[A-Z0-9]{12,})"
)


def redact_argv(argv: Iterable[str]) -> tuple[str, ...]:
    """Return a command line with secrets replaced by ``***``; the path given to ``--api-key-file`` stays.

    Arguments that are not valid Unicode come back with those bytes escaped, so that they can be stored and printed.
    """
    words: list[str] = []
    hide_next = header_next = False
    for word in argv:
        hidden = (hide_next and not word.startswith("--")) or (header_next and ":" in word)
        words.append(MASK if hidden else redact_text(word))
        hide_next = not hidden and _is_lone_flag(word) and _is_secret(word)
        header_next = word in _HEADER_FLAGS
    return tuple(words)


def redact_text(text: str) -> str:
    """Return any text with what looks like a secret replaced by ``***``."""
    text = _URL_LOGIN.sub(rf"\1{MASK}@", text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    text = _JSON_MEMBER.sub(_hide_member, text)
    text = _ASSIGNED.sub(_hide_value, text)
    text = _FLAG_VALUE.sub(_hide_value, text)
    text = _KNOWN_TOKEN.sub(MASK, text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _hide_member(found: re.Match[str]) -> str:
    if not _is_secret(found["name"]):
        return found[0]
    before = found[0].removesuffix(found["value"])
    return f'{before}"{MASK}"'


def _hide_value(found: re.Match[str]) -> str:
    value = found["value"]
    if value.startswith("-") or value.lower() in _SCHEMES or not _is_secret(found["name"]):
        # A harmless name may have a secret in its value: --base-url=http://spark/v1?api_key=...
        return f"{found['name']}{found['mark']}{_ASSIGNED.sub(_hide_value, value)}"
    return f"{found['name']}{found['mark']}{MASK}"


def _is_lone_flag(word: str) -> bool:
    return word.startswith("-") and "=" not in word and " " not in word


def _is_secret(name: str) -> bool:
    return _FILE_NAME.search(name) is None and _SECRET_NAME.search(name) is not None
