"""The text of ``earned.yaml``: some entries put in, taken out or replaced, and every other line as it was.

People review the file in git and write comments into it. So an entry that stays or moves keeps its lines, with the
comments above them; the outcome is read again, and where it is not what was meant (a list in brackets, say), YAML's own
writer makes the entry, or the file, anew, which keeps the values, but not every comment.
"""

__all__ = ["Items", "Moved", "edited", "new_text"]

import functools
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """An item that another list of the file has at ``place``, with what is ``added`` to it."""

    key: str
    place: int
    added: Mapping[str, Any]


Items = Sequence[int | Moved | Mapping[str, Any]]
"""What a list is to have: the number of an item that it has already, one that comes from another, or a new one."""

_WIDTH: Final = 4096  # a command stays on one line, for git to compare


def new_text(content: Mapping[str, Any]) -> str:
    """Return a mapping as YAML."""
    writer = YAML()
    writer.default_flow_style = False
    writer.width = _WIDTH
    stream = io.StringIO()
    writer.dump(content, stream)
    return stream.getvalue()


def edited(text: str, lists: Mapping[str, Items]) -> str:
    """Return the text of a mapping whose lists, by their keys, have these items; the rest of it stays."""
    values = dict(YAML(typ="safe", pure=True).load(text))
    plain = {key: [_plain(values, item) for item in items] for key, items in lists.items()}
    wanted = values | {key: _chosen(values.get(key) or [], items) for key, items in plain.items()}
    for attempt in (lists, plain):
        try:
            draft = _all_spliced(text, attempt)
        except YAMLError:  # one edit has broken what the next one wanted to read
            continue
        if _loaded(draft) == wanted:
            return draft
    return _with_ends(_rewritten(text, plain), _line_end(text))


def _all_spliced(text: str, lists: Mapping[str, Items]) -> str:
    draft = text
    for key, items in lists.items():
        # What moves has the lines that it had before anything was edited.
        draft = _spliced(draft, key, [_moved_text(text, one) if isinstance(one, Moved) else one for one in items])
    return draft


def _plain(values: Mapping[str, Any], item: int | Moved | Mapping[str, Any]) -> int | Mapping[str, Any]:
    return {**values[item.key][item.place], **item.added} if isinstance(item, Moved) else item


def _line_end(text: str) -> str:
    """Return how most of the lines end."""
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def _with_ends(text: str, end: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", end)


def _chosen(old: Sequence[Any], items: Sequence[int | Mapping[str, Any]]) -> list[Any]:
    return [old[item] if isinstance(item, int) else item for item in items]


def _loaded(text: str) -> Any:  # noqa: ANN401 - whatever a text is
    try:
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError):
        return None


def _rewritten(text: str, lists: Mapping[str, Sequence[int | Mapping[str, Any]]]) -> str:
    marked = YAML().load(text)
    for key, items in lists.items():
        marked[key] = _chosen(marked.get(key) or [], items)
    return new_text(marked)


@functools.lru_cache(maxsize=1)
def _marked(text: str) -> Any:  # noqa: ANN401 - ruamel's mapping; nobody may change it
    """Return a text with the lines of its parts. A file of a hundred settings takes half a second to read."""
    return YAML().load(text)


def _spliced(text: str, key: str, items: Sequence[int | str | Mapping[str, Any]]) -> str:
    """Return the text with these items of a list; a text among them is that of an item, as it is to stand there."""
    marked = _marked(text)
    if not hasattr(marked, "get"):
        return ""  # likewise
    old, end = marked.get(key), _line_end(text)
    if old is None and key not in marked:
        fresh = [item for item in items if not isinstance(item, int)]
        return _ended(text, end) + _with_ends(_list_text(key, fresh), end) if fresh else text
    lines = _ended(text, end).splitlines(keepends=True)
    at = marked.lc.data[key][0]
    if not old or not items:
        kept = [old[item] if isinstance(item, int) else item for item in items]
        return _replaced(lines, at, _end_of_key(marked, key, lines), _with_ends(_list_text(key, kept), end))
    starts, ends = _bounds(marked, key, lines)
    indent = " " * (len(lines[old.lc.data[0][0]]) - len(lines[old.lc.data[0][0]].lstrip(" ")))
    chunks = [
        "".join(lines[starts[item] : ends[item]])
        if isinstance(item, int)
        else _with_ends(_item_text(item, indent), end)
        for item in items
    ]
    return _replaced(lines, starts[0], ends[-1], "".join(chunks))


def _bounds(marked: Any, key: str, lines: Sequence[str]) -> tuple[list[int], list[int]]:  # noqa: ANN401 - ruamel's mapping
    """Return where each item of a list begins, with the comments above it, and ends."""
    at, places = marked.lc.data[key][0], marked[key].lc.data
    starts = [_with_comments(lines, places[place][0], at) for place in range(len(marked[key]))]
    return starts, [*starts[1:], _end_of_key(marked, key, lines)]


def _moved_text(text: str, item: Moved) -> str:
    """Return the lines of an item with what is added after its last value; not indented."""
    marked = _marked(text)
    lines = _ended(text, "\n").splitlines(keepends=True)
    starts, ends = _bounds(marked, item.key, lines)
    own = textwrap.dedent(_with_ends("".join(lines[starts[item.place] : ends[item.place]]), "\n")).splitlines(True)
    values = [number for number, line in enumerate(own) if line.strip() and not line.lstrip().startswith("#")]
    after = values[-1] + 1 if values else 0  # an item in brackets has no line of its own: the outcome is read again
    return "".join((*own[:after], textwrap.indent(new_text(item.added), "  "), *own[after:]))


def _list_text(key: str, items: Sequence[str | Mapping[str, Any]]) -> str:
    if not any(isinstance(item, str) for item in items):
        return new_text({key: list(items)})
    return f"{key}:\n" + "".join(_item_text(item, "") for item in items)


def _replaced(lines: Sequence[str], start: int, end: int, new: str) -> str:
    return "".join(lines[:start]) + new + "".join(lines[end:])


def _ended(text: str, end: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}{end}"


def _end_of_key(marked: Any, key: str, lines: Sequence[str]) -> int:  # noqa: ANN401 - ruamel's mapping
    later = [place[0] for place in marked.lc.data.values() if place[0] > marked.lc.data[key][0]]
    return _with_comments(lines, min(later), marked.lc.data[key][0]) if later else len(lines)


def _with_comments(lines: Sequence[str], start: int, above: int) -> int:
    """Return where the comments begin that stand directly above a line, below line ``above``."""
    while start - 1 > above and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def _item_text(item: str | Mapping[str, Any], indent: str) -> str:
    own = item if isinstance(item, str) else "".join(new_text({"x": [item]}).splitlines(keepends=True)[1:])
    return textwrap.indent(own, indent)
