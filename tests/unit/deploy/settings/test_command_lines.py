"""A command line in normal form: what the engine's own parser makes of it, and one map for every spelling."""

import json
import random
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.yaml_cases import load_yaml

from sparktune.deploy.settings.grammars import all_grammars
from sparktune.deploy.settings.normal import normal_form
from sparktune.model.document import Word
from sparktune.model.setting import Grammar, Layer, Option, Origin, Value

_CASES = Path(__file__).parents[3] / "cases" / "settings"
_GRAMMARS = {grammar.engine: grammar for grammar in all_grammars()}


def _read(argv: list[str], grammar: Grammar) -> Mapping[str, Value]:
    return normal_form([Word(text=word, line=1) for word in argv], grammar).values


def _lists(value: Any) -> Any:  # noqa: ANN401 - what YAML has
    if isinstance(value, Mapping):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, tuple | list) else value


def _nested(values: Mapping[str, Value]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        at = found
        for step in path:
            at = at.setdefault(step, {})
        at[last] = _lists(value)
    return found


@pytest.mark.parametrize("case", load_yaml(_CASES / "vllm-parser.yaml"), ids=lambda case: case["name"])
def test_what_is_read_is_what_vllm_s_own_parser_said(case: dict[str, Any]) -> None:
    values = _read(shlex.split(case["command"]), _GRAMMARS["vllm"])

    assert _nested(values) == case["parsed"]


@pytest.mark.parametrize("case", load_yaml(_CASES / "commands.yaml"), ids=lambda case: case["name"])
def test_a_command_line_in_normal_form(case: dict[str, Any]) -> None:
    words = [Word(text=word, line=7) for word in shlex.split(case["command"])]

    found = normal_form(words, _GRAMMARS[case["engine"]], origin=Origin(layer=Layer.FILE, place="serve.sh"))

    assert {key: _lists(value) for key, value in found.values.items()} == case["settings"]
    assert [dropped.setting.key for dropped in found.dropped] == case.get("dropped", [])
    assert {setting.origin.line for setting in found.settings} == {7}
    assert "verysecret" not in repr(found)


_TEXTS = st.text("abcxyz_=:/#é", min_size=1, max_size=8)
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9999) | _TEXTS | st.sampled_from([0.5, 0.25]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def _value(option: Option) -> st.SearchStrategy[Any]:
    of_kind: dict[str, st.SearchStrategy[Any]] = {
        "switch": st.just(value=True),
        "tristate": st.booleans(),
        "int": st.integers(0, 9999),
        "size": st.integers(0, 999) | st.integers(1, 99).map(lambda number: number * 1024),
        "float": st.sampled_from([0.5, 0.85, 3.0]),
        "json": st.dictionaries(st.sampled_from(["a", "b", "c_d"]), _JSON, min_size=1, max_size=3),
        "list": st.lists(_TEXTS, min_size=1, max_size=3),
        "ints": st.lists(st.integers(0, 512), min_size=1, max_size=4),
    }
    return of_kind.get(option.kind, _TEXTS)


def _spelled(option: Option, value: Any, grammar: Grammar, chance: random.Random) -> list[str]:  # noqa: ANN401
    """Write a setting in one of the ways in which the engine takes it."""
    flag = chance.choice((option.flag, *(alias for alias in option.aliases if alias != "-O")))
    if grammar.underscores and flag.startswith("--") and chance.random() < 0.5:
        flag = "--" + flag.removeprefix("--").replace("-", "_")
    if option.kind in {"switch", "tristate"}:
        return [flag if value else chance.choice((f"--no-{option.flag.removeprefix('--')}", *option.off))]
    if option.kind == "json" and grammar.dotted and chance.random() < 0.5:
        long = option.flag
        return [f"{long}.{key}={json.dumps(one)}" for key, one in value.items()]
    if option.kind == "json":
        return [flag, json.dumps(value, indent=chance.choice((None, 1)))]
    if option.kind in {"list", "ints"}:
        return [flag, *map(str, value)]
    text = f"{value // 1024}K" if option.kind == "size" and value and value % 1024 == 0 else str(value)
    return [f"{flag}={text}"] if grammar.equals and chance.random() < 0.5 else [flag, text]


@st.composite
def _flag_sets(draw: Any) -> tuple[str, list[tuple[str, Any]]]:  # noqa: ANN401 - hypothesis gives it no type
    grammar = _GRAMMARS[draw(st.sampled_from(sorted(_GRAMMARS)))]
    others = {grammar.config, grammar.positional, "hf_token", *grammar.same}
    options = [option for option in grammar.options if option.name not in others and "key" not in option.name]
    places = draw(st.lists(st.integers(0, len(options) - 1), unique=True, max_size=8))
    return grammar.engine, [(options[place].name, draw(_value(options[place]))) for place in places]


@settings(max_examples=150, deadline=None)
@given(chosen=_flag_sets(), seed=st.integers(0, 2**32))
def test_every_spelling_of_a_set_of_flags_is_one_map(chosen: tuple[str, list[tuple[str, Any]]], seed: int) -> None:
    grammar = _GRAMMARS[chosen[0]]
    by_name = {option.name: option for option in grammar.options}
    flags = [(by_name[name], value) for name, value in chosen[1]]
    chance = random.Random(seed)

    def argv() -> list[str]:
        spelled = [_spelled(option, value, grammar, chance) for option, value in flags]
        chance.shuffle(spelled)
        return [*grammar.commands[0], *(["M"] if grammar.positional else []), *(w for one in spelled for w in one)]

    first, second = _read(argv(), grammar), _read(argv(), grammar)

    assert first == second
    assert {key.split(".")[0] for key in first} >= {option.name for option, _ in flags}


@settings(max_examples=200, deadline=None)
@given(
    engine=st.sampled_from(sorted(_GRAMMARS)),
    argv=st.lists(
        st.text(max_size=12)
        | st.sampled_from(["--", "-", "-sc.x", "--a.b+", "-O", "--x=", "-1", "--max-num-seqs", "{"]),
        max_size=8,
    ),
)
def test_any_words_are_read_and_nothing_is_raised(engine: str, argv: list[str]) -> None:
    values = _read(argv, _GRAMMARS[engine])

    assert all(key and key == key.strip() for key in values)


def test_a_config_file_is_read_before_the_command_line_which_wins() -> None:
    text = "tensor-parallel-size: 4\nmax-num-seqs: 8\nenforce-eager: false\nspeculative-config:\n  method: mtp\n"
    words = [Word(text=word, line=3) for word in shlex.split("vllm serve M --config a.yaml -tp 2")]

    found = normal_form(words, _GRAMMARS["vllm"], configs={"a.yaml": text})

    by_key = {setting.key: setting for setting in found.settings}
    assert {key: setting.value for key, setting in by_key.items()} == {
        "model": "M",
        "config": "a.yaml",
        "tensor_parallel_size": 2,
        "max_num_seqs": 8,
        "enforce_eager": False,
        "speculative_config.method": "mtp",
    }
    assert (by_key["max_num_seqs"].origin.place, by_key["max_num_seqs"].origin.line) == ("a.yaml", 2)
    assert [(one.setting.value, one.by.value) for one in found.dropped] == [(4, 2)]
