"""The list of series holds to Prometheus' own rules, and says of each value only what is known."""

import re
from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.support.schemas import promised

from sparktune.drift.stale import Freshness, Judged
from sparktune.model.drift import DriftRow, DriftStatus
from sparktune.model.earned import EarnedEntry, EarnedEvidence, EarnedScope
from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.model.node import ClusterFacts, NodeFacts
from sparktune.model.pin import RuleRow, RuleState
from sparktune.model.place import Poller, PollerVerdict, ThreadSeen
from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.seen import PartAsked, Seen, Unknown
from sparktune.report.prometheus.series import Kind, Series
from sparktune.report.prometheus.text import export_json, export_text

_ALL = [series for group in all_groups() for series in group.series]
_UNITS = ("_bytes", "_seconds", "_celsius", "_ratio", "_info", "_total")
_BARE = {
    "sparktune_node_up": "0 or 1",
    "sparktune_findings_open": "a count",
    "sparktune_findings": "a count",
    "sparktune_drift_rows": "a count",
    "sparktune_drift_row": "0 or 1",
    "sparktune_busy_pollers": "a count",
    "sparktune_busy_poller_cores": "cores",
    "sparktune_pins": "a count",
    "sparktune_fabric_mtu_parity": "0 or 1",
    "sparktune_fabric_gid_index": "an index",
    "sparktune_fabric_gid_parity": "0 or 1",
    "sparktune_experiment_holds": "0 or 1",
    "sparktune_unknown": "1",
    "sparktune_part_failed": "0 or 1",
}
"""Series without a unit; a new one with a unit must carry it in its name."""

_ROW = DriftRow(key="--ctx", node="spark1", aspect="settings", status=DriftStatus.OK, part="head")
_POLLER = Poller(
    node="spark1",
    thread=ThreadSeen(pid=1, tid=2, start_ticks=3, name="uv", process="vllm"),
    verdict=PollerVerdict.CERTAIN,
    cores=0.75,
    core_kind="performance",
)
_PIN = RuleRow(transaction="t", target="vllm/uv", wanted="0-4", state=RuleState.OK)
_EARNED = Judged(
    entry=EarnedEntry(
        knob="HF_TOKEN",
        value={"env": {"HF_TOKEN": "hf_abcdefghijkl"}},
        scope=EarnedScope(service="house"),
        evidence=EarnedEvidence(run="r", metric="ttft_mean_s", ratio=1.25),
    ),
    freshness=Freshness.STALE,
    stale=("the image is another",),
    unknown=(),
    renew="",
)
_EXPERIMENT = ExperimentRow(
    id="261130-a",
    created_wall_s=1.5,
    base_url="",
    name="slots",
    knob="--parallel",
    metric="ttft_mean_s",
    state=ExperimentState.DONE,
    verdict="IMPROVED",
)


def lines_of(seen: Seen) -> list[str]:
    """Return the values that are exported, without help."""
    return [line for line in export_text(seen).splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("series", _ALL, ids=lambda series: series.name)
def test_a_series_is_named_as_prometheus_wants_it(series: Series) -> None:
    assert re.fullmatch(r"sparktune_[a-z]+(_[a-z]+)*", series.name)
    assert all(re.fullmatch(r"[a-z][a-z_]*", label) for label in series.labels)
    assert (series.kind is Kind.COUNTER) == series.name.endswith("_total")
    assert series.name.endswith(_UNITS) != (series.name in _BARE)
    assert series.help.endswith(".")
    assert len(series.help) <= 120


def test_every_series_has_a_name_of_its_own() -> None:
    names = [series.name for series in _ALL]
    assert len(set(names)) == len(names)


def test_nothing_is_said_of_what_nobody_asked() -> None:
    """An empty look must not look like a cluster where all is well."""
    names = {line.split("{")[0].split(" ")[0] for line in lines_of(Seen(version="1"))}

    assert names == {"sparktune_memory_guard_line_bytes", "sparktune_exporter_info"}


def test_findings_that_are_none_are_0_but_those_that_were_not_looked_for_are_absent() -> None:
    known = lines_of(Seen(version="1", cluster=ClusterFacts(nodes=()), findings=()))

    assert 'sparktune_findings_open{severity="error"} 0.0' in known
    assert not any("findings" in line for line in lines_of(Seen(version="1")))


def test_a_node_that_did_not_answer_is_0_with_the_reason_and_has_no_other_value() -> None:
    nodes = (NodeFacts(node="spark2", failure="spark2: no route to host"),)

    about = [line for line in lines_of(Seen(version="1", cluster=ClusterFacts(nodes=nodes))) if "spark2" in line]

    assert about == [
        'sparktune_node_up{node="spark2"} 0.0',
        'sparktune_unknown{node="spark2",what="node",why="no route to host"} 1.0',
    ]


def test_drift_is_counted_by_status_and_each_drifted_row_is_named() -> None:
    rows = (
        _ROW,
        replace(_ROW, key="env.A", status=DriftStatus.NOT_LIVE, also=(DriftStatus.FILE_DRIFT,)),
        replace(_ROW, key="env.A", status=DriftStatus.NOT_LIVE),  # the same again: a set of labels may be there once
        replace(_ROW, key="env.B", status=DriftStatus.UNREADABLE, why="the process is another user's"),
    )

    lines = lines_of(Seen(version="1", drift={"house": rows}))

    assert 'sparktune_drift_rows{node="spark1",service="house",status="not_live"} 2.0' in lines
    assert 'sparktune_drift_rows{node="spark1",service="house",status="nodes_differ"} 0.0' in lines
    named = [line.replace(',node="spark1",part="head",service="house"', "") for line in lines if "drift_row{" in line]
    assert named == [
        'sparktune_drift_row{key="env.A",status="not_live"} 1.0',
        'sparktune_drift_row{key="env.A",status="file_drift"} 1.0',
    ]
    why = "the process is another user's"
    assert f'sparktune_unknown{{node="spark1",what="drift of env.B in house",why="{why}"}} 1.0' in lines


def test_pollers_are_counted_by_verdict_and_kind_of_core() -> None:
    lines = lines_of(Seen(version="1", pollers={"spark1": (_POLLER, replace(_POLLER, cores=0.5)), "spark2": ()}))

    at = 'core_kind="performance",node="spark1",verdict="certain"'
    assert f"sparktune_busy_pollers{{{at}}} 2.0" in lines
    assert f"sparktune_busy_poller_cores{{{at}}} 1.25" in lines
    assert 'sparktune_busy_pollers{core_kind="performance",node="spark2",verdict="certain"} 0.0' in lines


def test_where_cores_cannot_be_told_apart_no_zero_is_claimed_for_fast_ones() -> None:
    lines = lines_of(Seen(version="1", pollers={"spark1": (replace(_POLLER, core_kind=""),)}))

    assert not any('core_kind="performance"' in line for line in lines)
    assert 'sparktune_busy_pollers{core_kind="unknown",node="spark1",verdict="certain"} 1.0' in lines


def test_pins_are_counted_by_state_and_one_that_cannot_be_told_has_its_reason() -> None:
    unread = replace(_PIN, state=RuleState.UNREADABLE, why="gone")
    lines = lines_of(Seen(version="1", pins={"spark1": (_PIN, unread)}))

    assert 'sparktune_pins{node="spark1",state="ok"} 1.0' in lines
    assert 'sparktune_pins{node="spark1",state="unreadable"} 1.0' in lines
    assert 'sparktune_unknown{node="spark1",what="pin of vllm/uv",why="gone"} 1.0' in lines


def test_an_earned_setting_shows_its_evidence_and_no_secret() -> None:
    text = export_text(Seen(version="1", earned=(_EARNED,)))

    assert 'evidence="stale",key="HF_TOKEN",service="house",value="***"} 1.0' in text
    assert 'sparktune_earned_effect_ratio{key="HF_TOKEN",metric="ttft_mean_s",service="house"} 1.25' in text
    assert "hf_abc" not in text


def test_what_stands_against_a_verdict_is_told_beside_it() -> None:
    """Who reads IMPROVED on a wall would keep a setting by which the slower of two users waits twice as long."""
    said = "guard decode_min_tok_s is WORSE (-30.7 %)"
    worse = replace(_EXPERIMENT, id="c", verdict="IMPROVED", why=said)
    plain = replace(_EXPERIMENT, id="d", verdict="IMPROVED", why="")
    lines = lines_of(Seen(version="1", experiments=(worse, plain)))

    told = [line for line in lines if line.startswith("sparktune_experiment_info{")]
    assert [line.partition(",")[0].partition("{")[2] for line in told] == [f'caveat="{said}"', 'caveat=""']
    assert all('verdict="IMPROVED"' in line for line in told)


def test_an_experiment_without_a_verdict_says_none() -> None:
    running = replace(_EXPERIMENT, id="b", verdict="", state=ExperimentState.RUNNING, holds=True)
    lines = lines_of(Seen(version="1", experiments=(_EXPERIMENT, running)))

    assert any('state="done",verdict="IMPROVED"' in line for line in lines)
    assert any('state="running",verdict="none"' in line for line in lines)
    assert 'sparktune_experiment_holds{experiment="b",name="slots"} 1.0' in lines


def test_a_part_that_failed_says_when_and_why() -> None:
    part = PartAsked(id="drift house", ended_wall_s=100.0, took_s=2.5, failure="no such unit")
    lines = lines_of(Seen(version="1", parts=(part,)))

    assert 'sparktune_part_asked_timestamp_seconds{part="drift house"} 100.0' in lines
    assert 'sparktune_part_duration_seconds{part="drift house"} 2.5' in lines
    assert 'sparktune_part_failed{part="drift house"} 1.0' in lines
    assert 'sparktune_unknown{node="",what="drift house",why="no such unit"} 1.0' in lines


@pytest.mark.parametrize(
    ("why", "kept"),
    [
        ('a "quoted" back\\slash', 'a "quoted" back\\slash'),
        ("two\nlines\tand \x1b[31mred", "two lines and \\x1b[31mred"),
        ("curl -H 'Authorization: Bearer abcdef'", "curl -H 'Authorization: Bearer ***'"),
        ("x" * 1000, "x" * 239 + "…"),
        ("odd \udce9 byte", "odd \\udce9 byte"),
    ],
)
def test_any_text_is_a_label_that_can_be_read_again(why: str, kept: str) -> None:
    text = export_text(Seen(version="1", missing=(Unknown(what="x", why=why),)))

    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert [sample.labels["why"] for sample in families["sparktune_unknown"].samples] == [kept]


def test_json_has_the_same_values_and_what_is_unknown_apart() -> None:
    seen = Seen(version="1", earned=(_EARNED,), missing=(Unknown(what="drift", why="no service"),))
    found = promised("export", export_json(seen))

    assert found["schema"] == 1
    assert found["unknown"] == [{"what": "drift", "node": None, "why": "no service"}]
    assert len(found["series"]) == len(lines_of(seen)) - 1
    assert {"name": "sparktune_exporter_info", "kind": "gauge", "labels": {"version": "1"}, "value": 1.0} in found[
        "series"
    ]
