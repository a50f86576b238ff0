"""Text in, facts out, for every source: one YAML file per source, named like it.

In a path ``{0-4}`` stands for one file per CPU of the list; ``{}`` in its text for the number. A case describes only
what its source reads, and the facts that it is about. What ends a text early, or is anything else, never raises.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.plain_facts import lacks, plain
from tests.support.trees import readings_of_text
from tests.support.yaml_cases import yaml_cases

from sparktune.host.cpulist import parse_cpulist
from sparktune.host.facts import all_sources
from sparktune.model.node import FactSource
from sparktune.model.reads import CommandOutput, Readings

_CASES = Path(__file__).parent / "facts"
_ALL = yaml_cases(_CASES)
_CPUS = re.compile(r"\{([0-9,-]+)\}")


@pytest.mark.parametrize(("name", "case"), _ALL)
def test_facts(name: str, case: dict[str, Any]) -> None:
    source = _source(name)
    readings = _readings(source, case, _texts(case), _commands(case))

    facts = source.parse(readings)

    assert type(facts) is source.kind
    assert lacks(plain(facts), case["facts"]) == []


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_text_of_any_kind_never_raises(data: st.DataObject) -> None:
    """What a node says is untrusted: a broken answer costs a field, never the whole doctor."""
    name, case = data.draw(st.sampled_from(_ALL)).values
    source = _source(name)
    texts, commands = _texts(case), _commands(case)
    for key in data.draw(st.sets(st.sampled_from([*texts, *commands]), max_size=3)) if texts or commands else ():
        if key in texts:
            texts[key] = data.draw(_broken(texts[key]))
        else:
            commands[key] = CommandOutput(
                stdout=data.draw(_broken(commands[key].stdout)),
                stderr=data.draw(st.sampled_from(["", commands[key].stderr, "no\0such thing"])),
                code=data.draw(st.sampled_from([commands[key].code, 0, 1, 127])),
            )

    facts = source.parse(_readings(source, case, texts, commands))

    assert type(facts) is source.kind
    plain(facts)


def _broken(text: str) -> st.SearchStrategy[str]:
    position = st.integers(0, len(text))
    noise = st.text(max_size=12) | st.sampled_from(["\0", "-1", "9" * 5000, "٣", "1e309", "nan", "\n\n", "=", ","])
    return st.one_of(
        st.just(text),
        position.map(lambda end: text[:end]),
        noise,
        st.tuples(position, position, noise).map(lambda cut: text[: min(cut[:2])] + cut[2] + text[max(cut[:2]) :]),
    )


def _source(name: str) -> FactSource:
    return next(source for source in all_sources() if source.name == name)


def _readings(
    source: FactSource, case: dict[str, Any], texts: dict[str, str], commands: dict[str, CommandOutput]
) -> Readings:
    return readings_of_text(
        source.reads, texts, commands=commands, links=case.get("links"), names=case.get("names", ())
    )


def _texts(case: dict[str, Any]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path, text in case.get("files", {}).items():
        cpus = _CPUS.search(path)
        for cpu in sorted(parse_cpulist(cpus[1])) if cpus else [0]:
            one = _CPUS.sub(str(cpu), path)
            texts[one] = str(text).replace("{}", str(cpu)) if cpus else str(text)
    return texts


def _commands(case: dict[str, Any]) -> dict[str, CommandOutput]:
    given = case.get("commands", {})
    return {
        start: CommandOutput(
            stdout=result.get("stdout", ""), stderr=result.get("stderr", ""), code=result.get("code", 0)
        )
        for start, result in given.items()
    }
