"""A file of options (``--config serve.yaml``) -> the words that the parser puts in its place.

Source: vLLM 0.33.0, ``utils/argparse_utils.py``: the file's options are put before those of the command line, which
therefore win; true is the option alone, false its ``--no-`` form, a list its words, a map its JSON.
"""

__all__ = ["words_of_config"]

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sparktune.deploy.settings.spelling import named
from sparktune.formats.compose_yaml import UNREADABLE, load_compose, nodes_of_compose
from sparktune.model.document import Word
from sparktune.model.setting import Grammar


def words_of_config(text: str, grammar: Grammar) -> tuple[Word, ...]:
    """Return the words of a file, with their lines; none of one that cannot be read."""
    try:
        data, root = load_compose(text), nodes_of_compose(text)
    except UNREADABLE:
        return ()
    if not isinstance(data, Mapping) or root is None:
        return ()
    lines = {str(key.value): key.start_mark.line + 1 for key, _ in root.value}
    return tuple(
        Word(text=word, line=lines.get(str(key), 0))
        for key, value in data.items()
        for word in _words(key, value, grammar)
    )


def _words(key: object, value: Any, grammar: Grammar) -> Iterator[str]:  # noqa: ANN401 - what YAML has
    flag = f"--{key}"
    if value is False:
        no = f"--no-{key}"
        if named(no, grammar).option is not None:
            yield no
        return
    if isinstance(value, list) and not value:
        return
    yield flag
    if isinstance(value, Mapping):
        yield json.dumps(value, default=str)
    elif isinstance(value, list):
        yield from map(str, value)
    elif value is not True:
        yield str(value)
