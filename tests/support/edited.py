"""Edits of documents, made through their form as the commands make them, and values that are hard to write."""

__all__ = ["VALUES", "edited", "key_of", "last_of"]

from hypothesis import strategies as st

from sparktune.model.document import Document, Entry, Format

VALUES = st.sampled_from(
    [
        "5", "-1", "0.85", "a b", "it's", 'say "x"', "a # b", "a: b", "#", "", " lead", "$X", "${X:-y z}", "true",
        "null", '{"a": {"b": [1, "c d"]}}', "x=y", "back\\slash", "é",
        "*x", "&x", "!x", "%i", "[1, 2]", "a,b", "- x", "~",
    ]
)  # fmt: skip


def edited(form: Format, document: Document, entry: Entry, value: str | None) -> str | None:
    """Return the text with another value, None where the edit is refused."""
    try:
        return form.write(document, entry.part, entry.kind, entry.name, value)
    except ValueError:
        return None


def key_of(entry: Entry) -> tuple[str, str, str]:
    """Return what names an entry; several of a file may have it."""
    return entry.part, entry.kind, entry.name


def last_of(document: Document, entry: Entry) -> Entry:
    """Return the last entry of the same key: the one that counts."""
    return [one for one in document.entries if key_of(one) == key_of(entry)][-1]
