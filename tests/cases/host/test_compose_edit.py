"""Compose files in every form that people write them: text in, text out, or a refusal with its reason."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.formats.compose_edit import raw_services, set_in_services
from sparktune.formats.compose_yaml import load_compose
from sparktune.host.compose import services_of

_CASES = yaml_cases(Path(__file__).parent / "compose_edit")
_KEYS = frozenset({"name", "text", "set", "after", "refused"})


@pytest.mark.parametrize(("_", "case"), _CASES)
def test_edit(_: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    if "refused" in case:
        with pytest.raises(ValueError, match=re.escape(case["refused"])) as refused:
            set_in_services(case["text"], case["set"])
        assert "\n" not in str(refused.value)
    else:
        assert set_in_services(case["text"], case["set"]) == case["after"]


@pytest.mark.parametrize("case", [param.values[1] for param in _CASES if "after" in param.values[1]])
def test_an_edit_is_needed_once(case: dict[str, Any]) -> None:
    """A plan after apply is empty."""
    assert set_in_services(case["after"], case["set"]) == case["after"]


def test_a_broken_file_is_not_quoted() -> None:
    """A line of a compose file may hold a key; a message with it ends in reports."""
    with pytest.raises(ValueError, match="line 4") as refused:
        raw_services("services:\n  a:\n    environment: [HF_TOKEN: hf_secret\n")

    assert "hf_secret" not in str(refused.value)


def test_aliases_without_end_are_refused_in_time() -> None:
    """Aliases of aliases stand for more data than there is memory; nothing walks through all of it."""
    doubled = "\n".join(f"x-{n}: &x{n} [*x{n - 1}, *x{n - 1}]" for n in range(1, 60))
    text = f"x-0: &x0 [1]\n{doubled}\nservices:\n  engine:\n    image: a\n    volumes: *x59\n"

    with pytest.raises(ValueError, match="its aliases stand for more"):
        set_in_services(text, {"engine": {"cpuset": "5-9"}})
    with pytest.raises(ValueError, match="its aliases stand for more"):
        services_of(text, "compose.yaml", {})


_SCALARS = st.sampled_from(["a", "'b c'", '"d # e"', "5", "[80, 443]", "{A: b}", "", "|\n{i}  x\n{i}  y", "*anchor"])
_OLD = st.sampled_from(["0-4", "'0-4'", '"5-9"', "", "&here 0-4", "*anchor", "${CPUS}", "!!str 0-4"])
_COMMENTS = st.sampled_from(["", "  # why", "\t# because"])
_ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def _service(draw: st.DrawFn) -> str:
    indent = " " * draw(st.integers(3, 6))
    keys = draw(st.permutations(["image", "command", "environment", "cpuset", "<<", "# note", "restart"]))
    lines = []
    for key in keys[: draw(st.integers(1, 7))]:
        if key.startswith("#"):
            lines.append(f"{indent}{key}")
            continue
        value = "*base" if key == "<<" else draw(_OLD if key == "cpuset" else _SCALARS).replace("{i}", indent)
        several = "\n" in value
        lines.append(f"{indent}{key}: {value}{'' if several else draw(_COMMENTS)}")
    return "\n".join(lines)


@settings(max_examples=400, deadline=None)
@given(mine=_service(), other=_service(), end=_ENDS, tail=st.sampled_from(["", "\n# the end", "\nvolumes: {}"]))
def test_nothing_but_the_key_changes(mine: str, other: str, end: str, tail: str) -> None:
    """What the file says is what it said, with the key set; lines stay as they are, byte by byte."""
    head = "x-base: &base {init: true}\nx-one: &anchor word\nservices:"
    text = f"{head}\n  other: # first\n{other}\n  mine:\n{mine}{tail}\n".replace("\n", end)
    try:
        before = load_compose(text)
        edited = set_in_services(text, {"mine": {"cpuset": "5-9,15-19"}})
    except (ValueError, YAMLError):  # the generator makes texts that are no YAML, too
        return

    before["services"]["mine"] = {**before["services"]["mine"], "cpuset": "5-9,15-19"}
    assert load_compose(edited) == before
    old, new = text.split("\n"), edited.split("\n")
    if len(new) == len(old):
        changed = [place for place, (one, two) in enumerate(zip(old, new, strict=True)) if one != two]
        assert len(changed) <= 1
        assert all("cpuset:" in old[place] for place in changed)
    else:
        added = next((place for place, line in enumerate(new) if place >= len(old) or line != old[place]))
        assert new[:added] + new[added + 1 :] == old
        assert new[added].strip() == 'cpuset: "5-9,15-19"'
        assert new[added].endswith("\r") == (end == "\r\n")


@given(text=st.text() | st.text(alphabet="services: {}[]-&*!|>'\"\n ab", max_size=80).map("services:".__add__))
def test_any_text_is_an_answer_or_a_refusal(text: str) -> None:
    try:
        edited = set_in_services(text, {"a": {"cpuset": "5-9"}})
    except ValueError:
        return
    assert raw_services(edited)["a"]["cpuset"] == "5-9"
