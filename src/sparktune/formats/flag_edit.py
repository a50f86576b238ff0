"""Edits of the command that starts a server: a flag set, added at its end, or taken out."""

__all__ = [
    "behind_word",
    "flag_edits",
    "flag_span",
    "place_before",
    "removal_edits",
    "removed_words",
    "replaced_word",
    "variable_edits",
    "variable_span",
]

from collections.abc import Iterator

from sparktune.formats.flags import Flag, flags_of
from sparktune.formats.quoting import Dialect, is_plain, quoted
from sparktune.formats.serving import Assignment, Call, CallWord
from sparktune.formats.shell import ShellWord
from sparktune.formats.yaml_scalar import Edit
from sparktune.model.document import Span


def flag_span(call: Call, flag: Flag) -> Span:
    """Return what an edit of a flag replaces: its value, with its quotes, or the word itself where it has none."""
    word = call.words[flag.place]
    if flag.text is None:
        return word.span
    if flag.glued:
        return _behind_sign(word)
    return Span(start=call.words[flag.first].span.start, end=call.words[flag.last].span.end)


def variable_span(one: Assignment) -> Span:
    """Return what an edit of a variable replaces."""
    return _behind_sign(one.word)


def flag_edits(call: Call, name: str, value: str) -> Iterator[Edit]:
    """Yield ways to make a flag say ``value`` ("" for none); where it is given several times the last one counts."""
    flags = [one for one in flags_of(call) if one.name == name]
    if not flags:
        yield from _added(call, [name, value] if value else [name])
        return
    flag = flags[-1]
    word = call.words[flag.place]
    if flag.glued:
        yield from _glued(word, flag.name, value)
    elif flag.text is None:
        yield from behind_word(word, [value])
    elif flag.first != flag.last:
        yield from _several(call, flag, value)
    else:
        yield from replaced_word(call.words[flag.first], value)


def variable_edits(one: Assignment, value: str) -> Iterator[Edit]:
    """Yield ways to make ``NAME=...`` say another value."""
    yield from _glued(one.word, one.name, value)


def removal_edits(call: Call, name: str) -> Iterator[Edit]:
    """Yield ways to take the last flag of a name out, with its values; the blanks before it go with it."""
    flag = [one for one in flags_of(call) if one.name == name][-1]
    first, last = call.words[flag.place], call.words[flag.last if flag.text is not None else flag.place]
    if first.holder is not None:
        if last.holder is first.holder:
            yield from first.holder.removed(first.item, last.item)
        return
    yield from removed_words(first, last)


def removed_words(first: CallWord, last: CallWord) -> Iterator[Edit]:
    """Yield ways to take words of a text out."""
    source = first.source
    if source is None or first.word is None or last.word is None or source is not last.source or source.encode is None:
        return
    start, end = first.word.start, last.word.end
    begin = start
    while begin and source.text[begin - 1] in " \t\r\n\\":
        begin -= 1
    if begin:
        yield Edit(start=source.behind(begin), end=source.behind(end), text="")
    while end < len(source.text) and source.text[end] in " \t":
        end += 1
    yield Edit(start=source.place(start), end=source.place(end), text="")


def _behind_sign(word: CallWord) -> Span:
    """Return the part of ``name=value`` that an edit replaces; all of it where the quotes enclose the name, too."""
    if word.word is None or word.source is None:
        return word.span
    sign = word.text.index("=")
    if _quoted_at(word.word, sign):
        return word.span
    start, end = word.source.behind(word.word.raw[sign][1]), word.source.behind(word.word.end)
    return Span(start=start, end=end)


def _quoted_at(word: ShellWord, index: int) -> bool:
    """Whether a quote opens before a character of the word."""
    return word.raw[index][0] - word.start != index


def _glued(word: CallWord, name: str, value: str) -> Iterator[Edit]:
    if word.holder is not None:
        yield from word.holder.replaced(word.item, f"{name}={value}")
        return
    if word.word is None or word.source is None or word.source.encode is None:
        return
    sign = len(name)
    if _quoted_at(word.word, sign):
        yield from replaced_word(word, f"{name}={value}")
        return
    start = word.source.behind(word.word.raw[sign][1])
    if word.dialect is Dialect.SYSTEMD and not is_plain(value):
        yield from replaced_word(word, f"{name}={value}")  # the manual wants the quotes around all of it
    yield from _forms(word, value, start, word.source.behind(word.word.end), word.source.text[word.word.raw[sign][1] :])
    yield from replaced_word(word, f"{name}={value}")


def replaced_word(word: CallWord, value: str) -> Iterator[Edit]:
    """Yield ways to write another word in the place of one."""
    if word.holder is not None:
        yield from word.holder.replaced(word.item, value)
    elif word.source is not None and word.word is not None:
        yield from _forms(word, value, word.span.start, word.span.end, word.source.text[word.word.start :])


def _forms(word: CallWord, value: str, start: int, end: int, was: str) -> Iterator[Edit]:
    """Yield the ways to quote a value, that of the old one first."""
    if word.source is None or word.source.encode is None:
        return
    forms = list(quoted(value, word.dialect))
    if was[:1] in {"'", '"'}:
        forms.sort(key=lambda form: form[:1] != was[:1])
    for form in forms:
        try:
            yield Edit(start=start, end=end, text=word.source.encode(form))
        except ValueError:
            continue


def _several(call: Call, flag: Flag, value: str) -> Iterator[Edit]:
    first, last = call.words[flag.first], call.words[flag.last]
    if first.holder is not None or first.source is None or first.source is not last.source:
        return
    encode = first.source.encode
    if encode is not None and "\n" not in value:
        words = " ".join(quoted(one, first.dialect)[0] for one in value.split())
        yield Edit(start=first.span.start, end=last.span.end, text=encode(words))


def _added(call: Call, words: list[str]) -> Iterator[Edit]:
    if call.words:
        yield from behind_word(call.words[-1], words)


def behind_word(word: CallWord, words: list[str]) -> Iterator[Edit]:
    """Yield ways to add words behind one."""
    if word.holder is not None:
        yield from word.holder.added(word.item, words)
        return
    if word.source is None or word.word is None or word.source.encode is None:
        return
    place = word.source.behind(word.word.end)
    ways = [quoted(one, word.dialect) for one in words]
    for number in range(max(map(len, ways))):
        text = " ".join(one[min(number, len(one) - 1)] for one in ways if one)
        try:
            yield Edit(start=place, end=place, text=word.source.encode(f" {text}"))
        except ValueError:
            continue


def place_before(word: CallWord, text: str) -> Iterator[Edit]:
    """Yield the edit that puts a word, quoted as it has to be, before one."""
    if word.source is not None and word.word is not None and word.source.encode is not None:
        start = word.source.place(word.word.start)
        yield Edit(start=start, end=start, text=word.source.encode(f"{text} "))
