"""The front page is what a person sees first: it may be short, but nothing that is unknown may look fine on it."""

import json
from dataclasses import replace

import pytest

from sparktune.model.front_page import (
    DriftStanding,
    EarnedStanding,
    FrontPage,
    NodeStanding,
    RestoreStanding,
    ServiceStanding,
    VerdictStanding,
)
from sparktune.model.node_report import NodeState
from sparktune.report.status.json import outside_json, status_json
from sparktune.report.status.next_step import next_step
from sparktune.report.status.text import outside_text, status_text

_NOW = 1_795_974_616.0
_NODE = NodeStanding(node="spark1", state=NodeState.APPLIED, profile=True, pins=1)
_SERVICE = ServiceStanding(name="house", endpoint="http://spark1:8000/v1", engine="vllm 0.19.0", model="some/model")


def _verdict(kind: str, *, state: str = "done", verdict: str = "IMPROVED", holds: bool = False) -> VerdictStanding:
    return VerdictStanding(
        kind=kind, id=f"id-{kind}", created_wall_s=_NOW - 60, state=state, verdict=verdict, about="it", holds=holds
    )


_PAGE = FrontPage(
    config="/home/me/sparktune.yaml",
    at_wall_s=_NOW,
    nodes=(_NODE, replace(_NODE, node="spark2")),
    service=_SERVICE,
    verdicts=(_verdict("bench", verdict="3 of 3 cells valid"), _verdict("ab")),
    drift=DriftStanding(words="nothing has drifted", differs=False, at_wall_s=_NOW),
    earned=EarnedStanding(file="earned.yaml", count=2),
)
_SILENT = NodeStanding(node="spark2", why="did not answer within 2 s", last_seen_wall_s=_NOW - 7200)


def test_all_is_well_in_ten_lines() -> None:
    assert status_text(_PAGE, width=100).splitlines() == [
        "/home/me/sparktune.yaml at 2026-11-29 17:50:16Z",
        "node      spark1 answers; host profile applied, 1 place pin",
        "node      spark2 answers; host profile applied, 1 place pin",
        "service   house answers: vllm 0.19.0, some/model",
        "bench     3 of 3 cells valid; it (id-bench, 2026-11-29)",
        "ab        IMPROVED; it (id-ab, 2026-11-29)",
        "drift     nothing has drifted",
        "earned    2 settings, none known to be stale",
        "next      sparktune doctor (all of the above is in order; doctor looks at every node more closely)",
    ]


@pytest.mark.parametrize(
    ("changes", "command", "said"),
    [
        ({"verdicts": (_verdict("sweep", holds=True),)}, "sparktune sweep resume id-sweep", "LEFT SOMETHING SET"),
        ({"verdicts": (_verdict("trial", holds=True),)}, "sparktune place trial --undo", "LEFT SOMETHING SET"),
        # What runs holds something, and is not to be resumed beside itself.
        *(
            (
                {
                    "verdicts": (
                        replace(_verdict(kind, state="running", verdict="", holds=True), owner="pid 7 on desk"),
                    )
                },
                "sparktune watch",
                "is running: pid 7 on desk",
            )
            for kind in ("ab", "sweep", "trial")
        ),
        (
            {"restores": (RestoreStanding(service="my house", key="LIMIT"),)},
            "sparktune drift restore --undo --service 'my house'",
            "restore   that of LIMIT of my house did not end, and LEFT SOMETHING SET",
        ),
        (
            {"restores": (RestoreStanding(service="house", key="LIMIT", runs=True),)},
            "sparktune doctor",
            "restore   that of LIMIT of house runs now",
        ),
        ({"nodes": (replace(_NODE, state=NodeState.UNCONFIRMED),)}, "sparktune host status", "UNCONFIRMED"),
        ({"nodes": (_NODE, _SILENT)}, "sparktune doctor", "did not answer within 2 s; last seen 2 h 00 min ago"),
        ({"nodes": (replace(_SILENT, last_seen_wall_s=None),)}, "sparktune doctor", "never seen from here"),
        ({"service": replace(_SERVICE, why="nobody listens")}, "sparktune logs --live", "nobody listens"),
        (
            {"drift": DriftStanding(words="1 of 2 has drifted", differs=True, at_wall_s=_NOW)},
            "sparktune drift",
            "drift     1 of 2 has drifted",
        ),
        ({"drift": DriftStanding(why="did not answer within 2 s")}, "sparktune drift", "drift     unknown: did not"),
        ({"earned": EarnedStanding(count=3, stale=1)}, "sparktune earned list", "3 settings, 1 with stale evidence"),
        ({"verdicts": ()}, "sparktune bench", "measured  nothing yet"),
        # Of a store that cannot be read nobody knows that nothing was measured.
        ({"verdicts": (), "why_store": "locked"}, "sparktune runs list", "measured  unknown: locked"),
        (
            {"verdicts": (_verdict("bench"), _verdict("ab", state="interrupted", verdict=""))},
            "sparktune ab resume id-ab",
            "no verdict, interrupted",
        ),
        ({"nodes": (replace(_NODE, profile=False),)}, "sparktune host plan", "no host profile"),
        ({"verdicts": (_verdict("bench"),)}, "sparktune knobs list", "bench"),
        ({"verdicts": (_verdict("ab"),)}, "sparktune doctor", "ab"),
        ({"verdicts": (_verdict("trial"),)}, "sparktune bench", "trial"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_worst_decides_the_next_command(changes: dict[str, object], command: str, said: str) -> None:
    page = replace(_PAGE, **changes)

    text = status_text(page, width=200)

    assert next_step(page)[0] == command
    assert f"next      {command} (" in text
    assert said in text
    assert json.loads(status_json(page))["next"]["command"] == command


def test_what_was_left_half_done_comes_before_what_is_broken() -> None:
    """A service that does not answer may be one that a killed experiment took away."""
    page = replace(_PAGE, verdicts=(_verdict("ab", holds=True),), service=replace(_SERVICE, why="nobody listens"))

    assert next_step(page)[0] == "sparktune ab resume id-ab"


def test_an_old_look_at_drift_says_how_old_it_is_and_why() -> None:
    old = DriftStanding(words="nothing has drifted", differs=False, at_wall_s=_NOW - 180, why="did not answer")

    assert "drift     did not answer; 3 min 00 s ago: nothing has drifted" in status_text(replace(_PAGE, drift=old))


@pytest.mark.parametrize(
    ("page", "words", "null"),
    [
        (replace(_PAGE, drift=DriftStanding(why="no way")), "drift     unknown: no way", ("drift", "differs")),
        (replace(_PAGE, earned=EarnedStanding(why="torn")), "earned    unknown: torn", ("earned", "settings")),
        (replace(_PAGE, why_store="locked", verdicts=()), "measured  unknown: locked", ("verdicts",)),
    ],
    ids=["drift", "earned", "store"],
)
def test_what_is_unknown_is_said_and_null(page: FrontPage, words: str, null: tuple[str, ...]) -> None:
    assert words in status_text(page)
    found = json.loads(status_json(page))
    for key in null:
        found = found[key]
    assert found is None


def test_a_journal_that_cannot_be_read_is_no_untouched_node() -> None:
    page = replace(_PAGE, nodes=(NodeStanding(node="spark1", why_state="it needs root"),))

    assert "spark1 answers; what is applied there is unknown: it needs root" in status_text(page)
    (node,) = json.loads(status_json(page))["nodes"]
    assert (node["answers"], node["profile"], node["why"]) == (True, None, "it needs root")


def test_eight_nodes_that_are_alike_are_one_line_and_the_odd_one_stands_out() -> None:
    nodes = tuple(replace(_NODE, node=f"spark{number}") for number in range(1, 8))
    lines = status_text(replace(_PAGE, nodes=(*nodes, _SILENT)), width=200).splitlines()

    told = [line for line in lines if line.startswith("nodes ")]
    assert len(told) == 2
    assert told[0].startswith("nodes     spark1, spark2, spark3")
    assert told[1].startswith("nodes     spark2 did not answer")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, status_text(_PAGE, width=width).splitlines())) <= width


def test_outside_of_a_configured_folder_it_says_how_to_begin_within_80_columns() -> None:
    text = outside_text()

    assert max(map(len, text.splitlines())) <= 80
    assert all(f"sparktune {word}" in text for word in ("demo", "doctor", "bench", "init", "--help"))
    assert json.loads(outside_json())["config"] is None
