"""Which writer makes which form of a result, and what forms are called. Pure."""

__all__ = ["Form", "form_for_format", "form_for_suffix", "render"]

from enum import Enum

from sparktune.errors import UsageError
from sparktune.model.result import RunResult
from sparktune.report.bench.benchy import write_benchy, write_benchy_csv
from sparktune.report.bench.csv import write_csv
from sparktune.report.bench.json import write_json
from sparktune.report.bench.markdown import write_markdown
from sparktune.report.bench.text import write_text


class Form(Enum):
    """How a result is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    BENCHY = "benchy"  # the JSON of llama-benchy
    BENCHY_CSV = "benchy-csv"  # the CSV of llama-benchy


_BY_SUFFIX = {".md": Form.MARKDOWN, ".json": Form.JSON, ".csv": Form.CSV}
_BY_FORMAT = {
    "md": Form.MARKDOWN,
    "json": Form.BENCHY,
    "csv": Form.BENCHY_CSV,
    "text": Form.TEXT,
    "benchy": Form.BENCHY,
}
_WRITERS = {
    Form.MARKDOWN: write_markdown,
    Form.JSON: write_json,
    Form.CSV: write_csv,
    Form.BENCHY: write_benchy,
    Form.BENCHY_CSV: write_benchy_csv,
}


def render(result: RunResult, form: Form, *, width: int = 80, color: bool = False, resume_told: bool = False) -> str:
    """Write the result in a form; the keywords are for the terminal's, see ``write_text``."""
    if form is Form.TEXT:
        return write_text(result, width=width, color=color, resume_told=resume_told)
    return _WRITERS[form](result)


def form_for_suffix(suffix: str) -> Form:
    """Return the form of a file by its suffix, ``.md`` for instance. Raises UsageError for one that is not known."""
    form = _BY_SUFFIX.get(suffix.lower())
    if form is None:
        message = f"the suffix {suffix!r} does not say in which form to save"
        message = message if suffix else "a file without a suffix does not say in which form to save"
        raise UsageError(message, hint=f"known suffixes: {', '.join(_BY_SUFFIX)}")
    return form


def form_for_format(name: str) -> Form:
    """Return what ``--format md|json|csv`` means in llama-benchy: its shapes, for scripts that read them.

    ``text`` and ``benchy`` are names of our own. Raises UsageError for another name.
    """
    form = _BY_FORMAT.get(name.lower())
    if form is None:
        message = f"no format is called {name!r}"
        raise UsageError(message, hint=f"known formats: {', '.join(_BY_FORMAT)}")
    return form
