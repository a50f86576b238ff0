"""Values in answers, and several readings that become one."""

import pytest

from sparktune.io.launching.live import Reads, same_text, together, value_at

_CONTENT = {"a": {"b": [1, {"c": "x"}]}, "n": None, "t": True, "f": 0.9, "4": "four"}


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("a.b.0", "1"),
        ("a.b.1.c", "x"),
        ("n", "null"),
        ("t", "true"),
        ("f", "0.9"),
        ("4", "four"),
        ("a.b", '[1,{"c":"x"}]'),
    ],
)
def test_keys_lead_to_a_value(keys: str, value: str) -> None:
    assert value_at(_CONTENT, keys) == value


@pytest.mark.parametrize(
    ("keys", "missing"), [("b", "b"), ("a.b.2", "a.b.2"), ("a.x.c", "a.x"), ("t.x", "t.x"), ("", "")]
)
def test_what_is_not_there_is_named(keys: str, missing: str) -> None:
    with pytest.raises(LookupError) as failed:
        value_at(_CONTENT, keys)
    assert failed.value.args == (missing,)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("4", "4", True),
        ("4", "4.0", True),
        (" on\n", "on", True),
        ("1e3", "1000", True),
        ("4", "5", False),
        ("true", "1", False),
        ("", "0", False),
        ("on", "off", False),
    ],
)
def test_texts_are_compared_as_they_are_or_as_numbers(one: str, other: str, same: bool) -> None:  # noqa: FBT001
    assert same_text(one, other) is same


def test_one_proof_is_enough_and_one_lie_too_many() -> None:
    proven, open_ = Reads(values={"a": "1"}, note="n"), Reads(values={"b": "2"}, open="a wrapper")
    wrong = Reads(values={"c": "3"}, wrong="c is 3, not 4")

    assert together([proven, open_]).ok
    assert together([proven, open_]).notes == ("n", "a wrapper")
    assert together([open_]).why == "a wrapper"
    assert together([proven, open_, wrong]).why == "c is 3, not 4"
    assert together([proven, open_, wrong]).values == {"a": "1", "b": "2", "c": "3"}


def test_no_reader_proves_nothing() -> None:
    """An arm that nobody looked at is not live."""
    assert together([]).why == "nothing could be verified"
    assert not together([]).ok
