"""What a server says about a failure, as one short line.

Source: OpenAI's error object; FastAPI's ``detail`` (vLLM, SGLang, LiteLLM); llama.cpp's ``n_prompt_tokens``, ``n_ctx``.
"""

__all__ = ["ContextLimit", "context_limit", "error_code", "error_in", "is_html", "one_line", "server_words"]

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from sparktune.model.engine import Answer
from sparktune.redact import redact_text
from sparktune.units import Tokens

_LONGEST = 200
_LOOK_BYTES = 65_536
_OK: Final = 200
_ERRORS: Final = range(400, 600)
_UNAVAILABLE: Final = 503
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_UNSEEN: Final = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_TOO_LONG: Final = re.compile(
    r"context (size|length|window)|maximum (context|model|input) length|longer than", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLimit:
    """A request that does not fit: what it counted and what the server takes; None where it does not tell."""

    prompt_tokens: Tokens | None
    limit: Tokens | None


def one_line(text: str, limit: int = _LONGEST) -> str:
    """Put a text on one line without control characters, shortened to ``limit`` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else line[: limit - 3].rstrip() + "..."


def is_html(answer: Answer) -> bool:
    """Say whether the answer is a page for a browser."""
    return "html" in answer.content_type.lower() or answer.body[:_LOOK_BYTES].lstrip()[:1] == b"<"


def server_words(answer: Answer) -> str:
    """Return what the answer says: the error's message, the page's title, or the first words; "" for nothing.

    What looks like a secret is left out.
    """
    return one_line(redact_text(_words(answer)))


def _words(answer: Answer) -> str:
    if is_html(answer):
        return _page_words(answer.body[:_LOOK_BYTES].decode("utf-8", errors="replace"))
    fields = _object(answer)
    if fields is None:
        return answer.body[:_LOOK_BYTES].decode("utf-8", errors="replace")
    for key in ("error", "detail", "message"):
        words = _message(fields.get(key))
        if words:
            return words
    return ""


def error_code(answer: Answer) -> str:
    """Return the error's code, type and parameter as one text to search in; "" when it has none."""
    error = (_object(answer) or {}).get("error")
    fields = error if isinstance(error, dict) else (_object(answer) or {})
    return " ".join(str(fields[key]) for key in ("code", "type", "param") if fields.get(key) is not None)


def error_in(answer: Answer) -> int | None:
    """Return the status that an error means which is answered with 200, as some gateways do; None where it is none.

    An error without a status of its own means that the server cannot answer now.
    """
    fields = _object(answer) if answer.status == _OK else None
    if fields is None or not ({"error", "detail"} & set(fields)) or {"choices", "data"} & set(fields):
        return None
    error = fields.get("error")
    code = error.get("code", error.get("status")) if isinstance(error, dict) else fields.get("code")
    number = int(code) if isinstance(code, int | str) and str(code).isascii() and str(code).isdigit() else 0
    return number if number in _ERRORS else _UNAVAILABLE


def context_limit(answer: Answer) -> ContextLimit | None:
    """Return what the server said about a prompt that is too long, or None when it complains about something else."""
    error = (_object(answer) or {}).get("error")
    fields = error if isinstance(error, dict) else {}
    if "n_ctx" in fields or _TOO_LONG.search(server_words(answer)):
        return ContextLimit(prompt_tokens=_whole(fields.get("n_prompt_tokens")), limit=_whole(fields.get("n_ctx")))
    return None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _object(answer: Answer) -> Mapping[str, object] | None:
    try:
        value = msgspec.json.decode(answer.body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _message(value: object) -> str:
    """Find words in an error: a text, an object with a message, or FastAPI's list of complaints."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _message(value.get("message") or value.get("msg") or value.get("error"))
    if isinstance(value, list):
        return "; ".join(filter(None, (_message(item) for item in value)))
    return ""


def _page_words(page: str) -> str:
    title = _TITLE.search(page)
    words = title.group(1) if title else _UNSEEN.sub(" ", page)
    return html.unescape(words)
