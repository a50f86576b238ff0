"""Variables in compose values: what each form makes of an unset, an empty and a set variable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.formats.interpolation import filled, references

_KNOWN = {"SET": "1", "EMPTY": ""}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$SET", "1"),
        ("${SET}x", "1x"),
        ("${UNSET:-a}${UNSET-a}", "aa"),
        ("${EMPTY:-a}${EMPTY-a}", "a"),
        ("${SET:+a}${SET+a}", "aa"),
        ("${EMPTY:+a}${EMPTY+a}", "a"),
        ("${UNSET:?needed}${UNSET?}", ""),
        ("${UNSET:-${EMPTY:-${SET}}}", "1"),
        ("${GLOO_SOCKET_IFNAME:-${NCCL_SOCKET_IFNAME}}", ""),
        ("${SET:+${UNSET:-b}}", "b"),
        ("$$SET $${SET} $$$SET", "$SET ${SET} $1"),
        ("$$(( SET * 2 ))", "$(( SET * 2 ))"),
        ("a$", "a$"),
        ("${", "${"),
        ("${1}", "${1}"),
        ("${SET", "${SET"),
        ("${SET!}", "${SET!}"),
        ("$1 $-", "$1 $-"),
    ],
)
def test_filled(text: str, value: str) -> None:
    assert filled(text, _KNOWN) == value


def test_references_tell_their_defaults_and_not_those_within() -> None:
    found = references("a ${A:-${B}} $C $$D")

    assert [(one.name, one.how, one.other) for one in found] == [("A", ":-", "${B}"), ("C", "", "")]
    assert ["a ${A:-${B}} $C $$D"[one.start : one.end] for one in found] == ["${A:-${B}}", "$C"]


@given(text=st.text(alphabet="${}:-+?AB 1", max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    assert isinstance(filled(text, {"A": "x"}), str)
    assert all(text[one.start] == "$" for one in references(text))


def test_braces_without_end_take_no_time() -> None:
    """A text of opening braces would be searched to its end from each of them."""
    assert filled("${A:-" * 2000, {}) == "${A:-" * 2000
