"""Every signature against lines that have it and lines that nearly do: one meaning for one message, no slow pattern.

A message that two signatures claim would be two failures, and the first of them perhaps the wrong one.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.log_texts import scan_text
from tests.support.yaml_cases import load_yaml

from sparktune.logs.signatures import all_signatures
from sparktune.model.log import LogRole, LogSignature

_SUBJECTS: dict[str, dict[str, Any]] = load_yaml(Path(__file__).parent / "logs_signatures.yaml")
_SIGNATURES = {signature.id: signature for signature in all_signatures()}
_LINES = [(owner, line) for owner, subject in _SUBJECTS.items() for line in subject["lines"]]
_NEAR = [(owner, line) for owner, subject in _SUBJECTS.items() for line in subject["not"]]


def _found(signature: LogSignature, line: str) -> re.Match[str] | None:
    if not any(word in line for word in signature.words):
        return None
    return signature.pattern.search(line)


@pytest.mark.parametrize(("owner", "case"), _LINES, ids=[f"{owner}: {case['line'][:40]}" for owner, case in _LINES])
def test_a_line_has_one_signature(owner: str, case: dict[str, str]) -> None:
    assert [one.id for one in _SIGNATURES.values() if one.pattern.search(case["line"])] == [owner]
    found = _found(_SIGNATURES[owner], case["line"])
    assert found is not None, "none of its words is in the line"
    explain = _SIGNATURES[owner].explain
    assert (explain(found) if explain else "") == case.get("told", "")


@pytest.mark.parametrize(("owner", "line"), _NEAR, ids=[f"{owner}: {line[:40]}" for owner, line in _NEAR])
def test_a_line_that_only_looks_like_it_has_not(owner: str, line: str) -> None:
    assert _found(_SIGNATURES[owner], line) is None


def test_the_scan_finds_every_example() -> None:
    """The scan looks at a line only for words that it may have; no signature may get lost there."""
    missed = [
        (owner, case["line"])
        for owner, case in _LINES
        if owner not in {event.signature.id for event in scan_text(case["line"], "a.log").events if event.signature}
    ]
    assert not missed


def test_every_signature_has_lines_that_have_it_and_one_that_has_not() -> None:
    assert set(_SUBJECTS) == set(_SIGNATURES)
    assert [owner for owner, subject in _SUBJECTS.items() if not subject["lines"] or not subject["not"]] == []


@pytest.mark.parametrize("signature", _SIGNATURES.values(), ids=_SIGNATURES)
def test_a_signature_says_what_it_is(signature: LogSignature) -> None:
    benign = signature.role is LogRole.BENIGN
    assert bool(signature.cause) is not benign
    assert bool(signature.fix) is not benign
    assert signature.source
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", signature.id)
    assert not signature.title.endswith(".")
    assert all(len(word) > len("3 parts") for word in signature.words), "a short word lets through too many lines"


@pytest.mark.parametrize("signature", _SIGNATURES.values(), ids=_SIGNATURES)
def test_no_pattern_is_slow(signature: LogSignature) -> None:
    """Each repeats a bounded number of times, and nothing that repeats is repeated: a line costs what it is long."""
    widest = [most for most, depth in _repeats(re._parser.parse(signature.pattern.pattern), 0)]  # type: ignore[attr-defined]
    assert max(widest, default=0) <= 2000
    depths = [depth for most, depth in _repeats(re._parser.parse(signature.pattern.pattern), 0) if most > 1]  # type: ignore[attr-defined]
    assert max(depths, default=0) == 0


def _repeats(parsed: Any, depth: int) -> Iterator[tuple[int, int]]:  # noqa: ANN401 - of a module without types
    """Yield of each repetition how often it may be, and in how many others it is."""
    for name, value in parsed:
        if str(name) in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            most = int(value[1])
            yield most, depth
            yield from _repeats(value[2], depth + (most > 1))
        elif str(name) == "SUBPATTERN":
            yield from _repeats(value[-1], depth)
        elif str(name) in {"ASSERT", "ASSERT_NOT"}:
            yield from _repeats(value[1], depth)
        elif str(name) == "BRANCH":
            for branch in value[1]:
                yield from _repeats(branch, depth)
