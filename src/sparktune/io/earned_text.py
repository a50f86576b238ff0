"""The text of ``earned.yaml``: some entries put in, taken out or replaced, and every other line as it was.

People review the file in git and write comments into it. So an entry that stays keeps its lines, with the comments
above them; the outcome is read again, and where it is not what was meant (a list in brackets, say), YAML's own writer
makes the file anew, which keeps the values, but not every comment.
"""

__all__ = ["Items", "edited", "new_text"]

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

Items = Sequence[int | Mapping[str, Any]]
"""What a list is to have: the number of an item that it has already, or a new one."""

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
    wanted = _wanted(text, lists)
    draft = text
    try:
        for key, items in lists.items():
            draft = _spliced(draft, key, items)
    except YAMLError:  # one edit has broken what the next one wanted to read
        draft = ""
    new = draft if _loaded(draft) == wanted else _rewritten(text, lists)
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else new


def _wanted(text: str, lists: Mapping[str, Items]) -> dict[str, Any]:
    values = dict(YAML(typ="safe", pure=True).load(text))
    return values | {key: _chosen(values.get(key) or [], items) for key, items in lists.items()}


def _chosen(old: Sequence[Any], items: Items) -> list[Any]:
    return [old[item] if isinstance(item, int) else item for item in items]


def _loaded(text: str) -> Any:  # noqa: ANN401 - whatever a text is
    try:
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError):
        return None


def _rewritten(text: str, lists: Mapping[str, Items]) -> str:
    marked = YAML().load(text)
    for key, items in lists.items():
        marked[key] = _chosen(marked.get(key) or [], items)
    return new_text(marked)


def _spliced(text: str, key: str, items: Items) -> str:
    marked: Any = YAML().load(text)
    if not hasattr(marked, "get"):
        return ""  # likewise
    old = marked.get(key)
    if old is None and key not in marked:
        return _ended(text) + new_text({key: list(items)}) if items else text
    lines = _ended(text).splitlines(keepends=True)
    at = marked.lc.data[key][0]
    if not old or not items:
        return _replaced(lines, at, _end_of_key(marked, key, lines), new_text({key: _chosen(old or [], items)}))
    starts = [_with_comments(lines, old.lc.data[place][0], at) for place in range(len(old))]
    ends = [*starts[1:], _end_of_key(marked, key, lines)]
    indent = " " * (len(lines[old.lc.data[0][0]]) - len(lines[old.lc.data[0][0]].lstrip(" ")))
    chunks = [
        "".join(lines[starts[item] : ends[item]]) if isinstance(item, int) else _item_text(item, indent)
        for item in items
    ]
    return _replaced(lines, starts[0], ends[-1], "".join(chunks))


def _replaced(lines: Sequence[str], start: int, end: int, new: str) -> str:
    return "".join(lines[:start]) + new + "".join(lines[end:])


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _end_of_key(marked: Any, key: str, lines: Sequence[str]) -> int:  # noqa: ANN401 - ruamel's mapping
    later = [place[0] for place in marked.lc.data.values() if place[0] > marked.lc.data[key][0]]
    return _with_comments(lines, min(later), marked.lc.data[key][0]) if later else len(lines)


def _with_comments(lines: Sequence[str], start: int, above: int) -> int:
    """Return where the comments begin that stand directly above a line, below line ``above``."""
    while start - 1 > above and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def _item_text(item: Mapping[str, Any], indent: str) -> str:
    return "".join(indent + line for line in new_text({"x": [item]}).splitlines(keepends=True)[1:])
