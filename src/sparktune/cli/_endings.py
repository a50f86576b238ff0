"""What the ending of a file's name promises: a file that holds something else misleads whoever opens it later."""

__all__ = ["refuse_ending"]

from pathlib import Path
from typing import Final

from sparktune.errors import UsageError

_ENDINGS: Final = {
    "JSON": (".json",),
    "JSON lines": (".jsonl", ".ndjson"),
    "CSV": (".csv",),
    "Markdown": (".md", ".markdown"),
    "HTML": (".html", ".htm"),
    "YAML": (".yaml", ".yml"),
    "SVG": (".svg",),
    "PNG": (".png",),
}
_FOLDER: Final = "a folder of pictures"


def refuse_ending(path: Path | None, written: str = _FOLDER) -> None:
    """Raise UsageError for a name whose ending is that of another form than what is ``written`` there.

    An ending that promises nothing, as of ``/dev/stdout``, is anybody's choice.
    """
    promised = next((form for form, ends in _ENDINGS.items() if path and path.suffix.lower() in ends), written)
    if path is None or promised == written:
        return
    right = path.with_suffix(_ENDINGS[written][0] if written in _ENDINGS else "")
    message = f"{path} would hold {written}, and its name says {promised}"
    raise UsageError(message, hint=f"name it {right}, or ask for {promised}")
