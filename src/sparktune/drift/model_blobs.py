"""Two snapshots of a model, blob by blob: which files differ, and whether any of them matters to an engine.

The name of a blob is a hash of its content (huggingface_hub, "Understand caching"): the same name is the same content,
unless the disk lies; the size tells a download that was cut off and renamed by hand.
"""

__all__ = ["broken_files", "content_words", "only_documents", "parting_files", "size_differences"]

from collections.abc import Iterable, Mapping

from sparktune.drift.model_cache import ModelCache, Snapshot
from sparktune.units import format_bytes

_DOCUMENTS = (".md", ".gitattributes", ".gitignore", ".png", ".jpg", ".jpeg", ".svg", ".pdf")
_LICENSES = ("license", "notice")
_MOST_NAMED = 4


def _is_document(name: str) -> bool:
    """Whether no engine reads a file: a text or a picture for people."""
    base = name.rpartition("/")[2].lower()
    return base.endswith(_DOCUMENTS) or base.partition(".")[0] in _LICENSES


def parting_files(one: Snapshot, other: Snapshot) -> dict[str, str]:
    """Return the files of which the content differs, each with how; what only one of them has differs too."""
    found = {}
    for name in sorted({*one.blobs, *one.plain, *other.blobs, *other.plain}):
        first, second = _content(one, name), _content(other, name)
        if first is None or second is None:
            found[name] = "missing on one side"
        elif first[0] != second[0]:
            # One of them has a hash, the other a size: which content that is nobody can say.
            found[name] = "not comparable: it is a link into the blobs on one side only"
        elif first[1] != second[1]:
            found[name] = f"{_short(first[1])} and {_short(second[1])}"
    return found


def _content(snapshot: Snapshot, name: str) -> tuple[str, str | int] | None:
    if name in snapshot.blobs:
        return "blob", snapshot.blobs[name]
    seen = snapshot.plain.get(name)
    return ("size", seen.size) if seen is not None else None


def _short(content: str | int) -> str:
    return f"blob {content[:12]}" if isinstance(content, str) else format_bytes(content)


def broken_files(cache: ModelCache, commit: str) -> tuple[str, ...]:
    """Return the files of a snapshot whose blob is not there."""
    snapshot = cache.snapshots.get(commit)
    blobs = snapshot.blobs if snapshot is not None else {}
    return tuple(name for name, blob in sorted(blobs.items()) if blob not in cache.sizes)


def size_differences(one: ModelCache, other: ModelCache, commit: str) -> dict[str, str]:
    """Return the files of a snapshot whose blob has the same name in two caches, and not the same size."""
    snapshot = one.snapshots.get(commit)
    return {
        name: f"{format_bytes(one.sizes[blob])} and {format_bytes(other.sizes[blob])} of one blob"
        for name, blob in sorted((snapshot.blobs if snapshot is not None else {}).items())
        if blob in one.sizes and blob in other.sizes and one.sizes[blob] != other.sizes[blob]
    }


def content_words(files: Mapping[str, str]) -> str:
    """Say which files differ, the ones that an engine reads first."""
    listed = sorted(files, key=lambda name: (_is_document(name), name))
    more = len(listed) - _MOST_NAMED
    named = ", ".join(f"{name} ({files[name]})" for name in listed[:_MOST_NAMED])
    return named + (f" and {more} more" if more > 0 else "")


def only_documents(files: Iterable[str]) -> bool:
    """Whether no engine reads any of them."""
    return all(map(_is_document, files))
