"""How loud a line is: by the words that loggers write, or by what a message without level begins with."""

__all__ = ["ERROR_WORDS", "EXCEPTION", "LEVELS", "TRACEBACK", "told_level"]

import re

LEVELS = {
    "TRACE": "debug",
    "DEBUG": "debug",
    "INFO": "info",
    "NOTICE": "info",
    "WARNING": "warning",
    "WARN": "warning",
    "ERROR": "error",
    "CRITICAL": "error",
    "FATAL": "error",
}
"""What loggers call a level, and what a ``LogLine`` calls it."""

TRACEBACK = "Traceback (most recent call last):"
EXCEPTION = re.compile(
    r"(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|SystemExit|ExceptionGroup)(?::|$)", re.ASCII
)
"""A line that Python ends a traceback with."""

_BEGINS = re.compile(
    r"error: |fatal: |fatal error: |Fatal Python error: |thread '[^']*' (?:\(\d+\) )?panicked at "
    r"|[\w./-]+(?: [\w-]+)?: error: ",
    re.ASCII | re.IGNORECASE,
)

ERROR_WORDS = (
    "ERROR",
    "CRITICAL",
    "FATAL",
    TRACEBACK,
    "Error",
    "Exception",
    "Interrupt",
    "SystemExit",
    "panicked at ",
    "error: ",
    "fatal: ",
    "Fatal ",
    "Error: ",
    " E ",
    "[E",
    "[F",
    *(
        f"{name}:{blank}{level}"
        for name in ("level", "severity", "lvl")
        for blank in ("", " ")
        for level in ("error", "critical", "fatal")
    ),
)
"""A line without one of these is no error, whatever its form; as for JSON, quotes are left out."""


def told_level(text: str) -> str:
    """Return the level of a message that has none in front of it, "" where it tells none."""
    if text.startswith("NCCL "):
        return {"WARN": "warning", "INFO": "info", "ERROR": "error"}.get(text[5:9].strip() or "", "")
    if text.startswith(TRACEBACK) or EXCEPTION.match(text) or _BEGINS.match(text):
        return "error"
    return ""
