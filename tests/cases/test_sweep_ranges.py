"""What is written behind --knob: a typing mistake must be told before a machine is busy for hours with it."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import load_yaml

from sparktune.deploy.sweep_space import range_of
from sparktune.errors import UsageError

_CASES = load_yaml(Path(__file__).parent / "sweep" / "ranges.yaml")


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_range(case: dict[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "text", "expect"}))
    expect = case["expect"]
    if "error" in expect:
        with pytest.raises(UsageError) as caught:
            range_of(case["text"])
        assert expect["error"] in str(caught.value)
        assert expect["hint"] in caught.value.hint
        return

    found = range_of(case["text"])

    assert (found.knob, list(found.values), found.raises_memory) == tuple(expect.values())
    assert found.baseline == ""
