"""Whatever a node says, it is judged and told: nothing that it writes ends in a traceback."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.nodes import node_over

from sparktune.host.findings import judge
from sparktune.host.lab.faults import lab_nodes
from sparktune.host.lab.tree import NodeTree
from sparktune.model.node import ClusterFacts
from sparktune.report.doctor import doctor_json, doctor_text

_TREES = lab_nodes()
_PATHS = sorted(_TREES["spark1"].files)
_COMMANDS = sorted(_TREES["spark1"].commands)
_TEXT = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        ["", "\0", "-1\n", "0-99999999\n", "9" * 400, "[]", "{}", "[{}]", "null", "a,b\n" * 3, "\x1b[2J\n"]
    ),
)


def _cut(text: str, share: float) -> str:
    return text[: int(len(text) * share)]


@st.composite
def _trees(draw: Any) -> NodeTree:  # noqa: ANN401 - hypothesis gives the function no type
    tree = _TREES[draw(st.sampled_from(sorted(_TREES)))]
    broken = draw(st.dictionaries(st.sampled_from(_PATHS), _TEXT, max_size=12))
    torn = draw(st.dictionaries(st.sampled_from(_COMMANDS), st.floats(0, 1), max_size=4))
    printed = draw(st.dictionaries(st.sampled_from(_COMMANDS), _TEXT, max_size=4))
    commands = dict(tree.commands) | {argv: _cut(tree.commands[argv], share) for argv, share in torn.items()}
    return NodeTree(files={**tree.files, **broken}, links=tree.links, commands=commands | printed)


@settings(max_examples=40)
@given(first=_trees(), second=_trees())
def test_every_pair_of_nodes_is_judged_and_told(first: NodeTree, second: NodeTree) -> None:
    cluster = ClusterFacts(nodes=(node_over("a", first), node_over("b", second)))

    findings = judge(cluster)

    text = doctor_text(cluster, findings, width=80)
    assert "\x1b" not in text
    assert "\0" not in text
    assert json.loads(doctor_json(cluster, findings))["schema"] == 1
