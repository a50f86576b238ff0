"""Every reader of logs against lines that have facts, and lines that only look like it.

What is read wrong here would be judged, compared between nodes, and believed.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support.log_texts import scan_text
from tests.support.yaml_cases import load_yaml

from sparktune.logs.facts import FACTS
from sparktune.logs.readers import all_readers
from sparktune.model.log import LogLine

_CASES: list[dict[str, Any]] = load_yaml(Path(__file__).parent / "logs_facts.yaml")


def _plain(value: Any) -> Any:  # noqa: ANN401 - a value of any fact
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_lines_have_these_facts(case: dict[str, Any]) -> None:
    log = scan_text("\n".join(case["lines"]) + "\n", "a.log")

    assert [[fact.key, _plain(fact.value)] for fact in log.facts] == case["facts"]
    assert (log.engine, log.version) == (case["engine"], case.get("version", ""))
    assert [fact.unit for fact in log.facts] == [FACTS[fact.key].unit for fact in log.facts]


def test_every_key_is_read_by_a_case() -> None:
    read = {fact[0] for case in _CASES for fact in case["facts"]}
    assert set(FACTS) - read == set()


@pytest.mark.parametrize("reader", all_readers(), ids=lambda reader: f"{reader.engine} {reader.words[0]}")
def test_words_alone_are_no_fact_and_no_fault(reader: Any) -> None:  # noqa: ANN401 - an id is made of it
    """Lines that are cut off, or of another kind, are read without an error."""
    for word in reader.words:
        for text in (word, word * 50, f"{word}: {'9' * 400}", f"x {word} nan {word}"):
            found = list(reader.read(LogLine(text=text, number=1)))
            assert all(fact.key in FACTS for fact in found)


def test_a_long_line_costs_little() -> None:
    """A pattern that tries everything would hang on a line as long as one may be."""
    for reader in all_readers():
        for word in reader.words:
            list(reader.read(LogLine(text=(word + "1/1 (") * 400, number=1)))
