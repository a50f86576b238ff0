"""Take secrets out of what is kept or shown: command lines, addresses, error texts, environments.

A value is secret when its name says so (``--api-key``, ``HF_TOKEN=``), when its form is that of a known token, or when
it is the login of a URL. What is recorded is for repeating a run or seeing drift, and a key is never needed for that.
"""

__all__ = ["MASK", "redact_argv", "redact_text", "redact_value"]

import re
from collections.abc import Iterable

MASK = "***"

_SECRET_NAME = re.compile(
    r"(?:api[-_]?key|access[-_]?key|private[-_]?key|auth|bearer|cookie|credential|passphrase|passw(?:or)?d|secret"
    r"|webhook)s?"
    r"|(?:^|[-_.])(?:token|key|pass|pwd)$",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"[-_](?:file|path|env)$", re.IGNORECASE)  # names where a secret is, and is none
_HEADER_FLAGS = frozenset({"-H", "--header"})
_SCHEMES = frozenset({"bearer", "basic"})
_LIST = r"\[[^\]]{0,4000}\]?"  # bounded: a text may open any number of lists and close none
_VALUE = re.compile(rf"'[^']*'|\"(?:[^\"\\]|\\.)*\"|{_LIST}|[^\s'\"&;]+")

_NAME = r"(?P<name>(?<![A-Za-z0-9_.\-])[A-Za-z0-9_.\-]+)"  # from where a word begins: else its time is a square
_URL_LOGIN = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}://)[^/?#\s@]+@", re.IGNORECASE)
_BARE_LOGIN = re.compile(r"(?<![\w/.:@-])(?!mailto:)([A-Za-z][\w.+-]{0,60}:)[^\s:/@'\"]{6,}@(?!sha\d+:)(?=\w)")
_LOGIN_FLAG = re.compile(
    r"(\b(?:curl|wget)\b[^\n;|&]{0,500}?\s(?:-u|--(?:proxy-)?user)[\s=]+['\"]?[^\s:'\"]+:"
    r"|\b(?:sshpass|docker login|podman login)\b[^\n;|&]{0,500}?\s-p\s*)[^\s'\"]+"
)
_BEARER = re.compile(r"\b(bearer|basic)(\s+|%20)[^\s\"',;]+", re.IGNORECASE)
# Quotes are escaped where JSON is text in JSON; one that is missing is that of a line which was cut
_MEMBER = re.compile(r"""(?P<quote>\\{0,7}["'])(?P<name>[\w.-]+)(?P=quote)\s*:\s*""")
_MEMBER_VALUE = re.compile(rf"""\\+["'][^"']{{0,4000}}["']?|"(?:[^"\\]|\\.)*(?:"|\\?$)|'[^']*(?:'|$)|{_LIST}""")
_ASSIGNED = re.compile(rf"{_NAME}\s?[=:]\s?")
_FLAG = re.compile(r"(?P<name>(?<!\S)--?[A-Za-z][A-Za-z0-9_.\-]*)\s+")
# Several keys may follow this one. Source: vLLM 0.33.0, vllm serve --help: --api-key takes a list
_SEVERAL = re.compile(r"--api[-_]key", re.IGNORECASE)
_KNOWN_TOKEN = re.compile(
    r"\b(?:(?:hf|sk|gsk|ghp|gho|nvapi|glpat|github_pat|xox[abp])[-_][A-Za-z0-9_-]{10,}|AKIA[A-Z0-9]{12,})"
)


def redact_argv(argv: Iterable[str]) -> tuple[str, ...]:
    """Return a command line with secrets replaced by ``***``; the path given to ``--api-key-file`` stays.

    Arguments that are not valid Unicode come back with those bytes escaped, so that they can be stored and printed.
    """
    words: list[str] = []
    hide_next = header_next = several = False
    for word in argv:
        several = several and not word.startswith("-")
        hidden = several or (hide_next and not word.startswith("--")) or (header_next and ":" in word)
        words.append(MASK if hidden else redact_text(word))
        hide_next = not hidden and _is_lone_flag(word) and _is_secret(word)
        several = several or _SEVERAL.fullmatch(word) is not None
        header_next = word in _HEADER_FLAGS
    return tuple(words)


def redact_text(text: str) -> str:
    """Return any text with what looks like a secret replaced by ``***``."""
    text = _URL_LOGIN.sub(rf"\1{MASK}@", text)
    text = _BARE_LOGIN.sub(rf"\1{MASK}@", text)
    text = _LOGIN_FLAG.sub(rf"\1{MASK}", text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    text = _hide_values(_MEMBER, text, _MEMBER_VALUE, f'"{MASK}"')
    text = _hide_values(_ASSIGNED, text)
    text = _hide_values(_FLAG, text)
    text = _KNOWN_TOKEN.sub(MASK, text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def redact_value(name: str, value: str) -> str:
    """Return what a variable or a setting called ``name`` says: nothing of it where the name is that of a secret.

    Other than in a text, blanks, quotes and line ends in the value are known to be part of it.
    """
    if value and _is_secret(name) and value.lower() not in _SCHEMES:
        return MASK
    return redact_text(f"{name}={value}")[len(name) + 1 :]


def _hide_values(pattern: re.Pattern[str], text: str, values: re.Pattern[str] = _VALUE, mask: str = MASK) -> str:
    """Hide the values of secret names. The value of a harmless name is looked at again: a command, a URL, an option."""
    done: list[str] = []
    at = 0
    for found in pattern.finditer(text):
        if found.start() < at or not _is_secret(found["name"]):
            continue
        value = values.match(text, found.end())
        if value is not None and not value[0].startswith("-") and value[0].lower() not in _SCHEMES:
            done += [text[at : found.end()], mask]
            at = value.end()
    return "".join((*done, text[at:]))


def _is_lone_flag(word: str) -> bool:
    return word.startswith("-") and "=" not in word and " " not in word


def _is_secret(name: str) -> bool:
    return _FILE_NAME.search(name) is None and _SECRET_NAME.search(name) is not None
