"""When evidence speaks of something else than what runs; what cannot be compared is never called current."""

from dataclasses import replace

import pytest

from sparktune.drift.stale import (
    Freshness,
    Running,
    freshness,
    image_of,
    stale_reasons,
    unknown_reasons,
)
from sparktune.model.drift import PartSeen
from sparktune.model.earned import EarnedEntry, EarnedEvidence, EarnedScope

_ENTRY = EarnedEntry(
    knob="LAB_X",
    value={"env": {"LAB_X": "2"}},
    instead_of={"env": {"LAB_X": "1"}},
    scope=EarnedScope(service="spark", image_digest="sha256:1", launcher="compose", model="m", workload="ab12"),
    evidence=EarnedEvidence(run="e1", date="2026-10-01", metric="ttft_s", ratio=1.4, guards={"decode_tok_s": "ok"}),
)
_SAME = Running(image_digest="sha256:1", model="m", launcher="compose", today="2026-11-30", max_age_days=90)


def test_what_is_as_it_was_is_current() -> None:
    assert (stale_reasons(_ENTRY, _SAME), unknown_reasons(_ENTRY, _SAME)) == ((), ())
    assert freshness(_ENTRY, _SAME) is Freshness.CURRENT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image_digest": "sha256:2"}, "the image was sha256:1 then, and is sha256:2 now"),
        ({"model": "n"}, "the model was m then, and is n now"),
        ({"launcher": "systemd"}, "the launcher was compose then, and is systemd now"),
        ({"max_age_days": 59}, "it is 60 days old, more than 59"),
    ],
)
def test_what_has_changed_is_said_with_both_values(change: dict[str, str], said: str) -> None:
    running = replace(_SAME, **change)
    assert stale_reasons(_ENTRY, running) == (said,)
    assert freshness(_ENTRY, running) is Freshness.STALE


def test_a_revision_counts_where_both_are_known() -> None:
    entry = replace(_ENTRY, scope=replace(_ENTRY.scope, revision="abc"))
    assert stale_reasons(entry, replace(_SAME, revision="def")) == (
        "the model's revision was abc then, and is def now",
    )
    assert unknown_reasons(entry, _SAME) == ("which revision of the model runs is not known",)


@pytest.mark.parametrize(
    ("scope", "running", "said"),
    [
        ({"image_digest": None}, {}, "which image it was measured with is not said"),
        ({}, {"image_digest": None}, "which image runs is not known"),
        ({"model": None}, {}, "which model it was measured with is not said"),
        ({}, {"model": None}, "which model runs is not known"),
        ({"workload": None}, {}, "which workload it was measured with is not said"),
    ],
)
def test_what_cannot_be_compared_stays_unknown(scope: dict[str, None], running: dict[str, None], said: str) -> None:
    entry, now = replace(_ENTRY, scope=replace(_ENTRY.scope, **scope)), replace(_SAME, **running)
    assert unknown_reasons(entry, now) == (said,)
    assert freshness(entry, now) is Freshness.UNKNOWN


def test_a_plain_process_has_no_image_to_know() -> None:
    entry = replace(_ENTRY, scope=replace(_ENTRY.scope, launcher="systemd", image_digest=None))
    assert freshness(entry, replace(_SAME, launcher="systemd", image_digest=None)) is Freshness.CURRENT


def test_made_up_evidence_is_never_current() -> None:
    """The practice cluster's numbers are nobody's: they must not pass for a measurement."""
    entry = replace(_ENTRY, evidence=replace(_ENTRY.evidence, practice="sparktune lab"))
    assert freshness(entry, _SAME) is Freshness.UNKNOWN
    assert "for practice" in unknown_reasons(entry, _SAME)[0]


def test_a_setting_by_hand_has_no_evidence() -> None:
    entry = replace(_ENTRY, evidence=EarnedEvidence())
    assert unknown_reasons(entry, _SAME)[0] == "it has no evidence: nobody measured it"


@pytest.mark.parametrize(
    ("images", "one"),
    [(("sha256:1", "sha256:1"), "sha256:1"), (("sha256:1", "sha256:2"), None), (("sha256:1", ""), None), ((), None)],
)
def test_the_image_of_a_service_is_that_of_all_its_parts(images: tuple[str, ...], one: str | None) -> None:
    assert image_of([PartSeen(node="n", name="p", where={}, image=image) for image in images]) == one
