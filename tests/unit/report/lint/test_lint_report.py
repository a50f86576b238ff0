"""What is printed of findings: nothing that steers a terminal, no secret, every line that a person needs."""

import pytest
from tests.support.schemas import promised

from sparktune.deploy.rules import all_rules
from sparktune.deploy.settings.view import view_of
from sparktune.formats.kinds import read_text
from sparktune.model.document import Document
from sparktune.model.finding import Severity
from sparktune.model.lint import LintFinding, LintView
from sparktune.model.node import NodeFacts
from sparktune.report.lint.json import lint_json
from sparktune.report.lint.lines import Lines, diff_text
from sparktune.report.lint.text import lint_text

_SECRET = "abcdef0123456789"  # noqa: S105


def _view(text: str, name: str = "serve.sh", **more: object) -> LintView:
    return view_of([read_text(name, text)], **more)  # type: ignore[arg-type]


def _finding(**more: object) -> LintFinding:
    values = {
        "rule": "graph-coverage",
        "severity": Severity.ERROR,
        "file": "serve.sh",
        "evidence": "seen",
        "hint": "do",
        "source": "here",
    }
    return LintFinding(**{**values, **more})  # type: ignore[arg-type]


def test_a_finding_about_a_whole_file_and_a_node() -> None:
    view = _view("vllm serve m\n", nodes=[NodeFacts(node="spark1"), NodeFacts(node="spark2", failure="no route")])

    text = lint_text(view, (_finding(node="spark1"), _finding(severity=Severity.INFO)))
    found = promised("lint", lint_json(view, (_finding(node="spark1"),), ("a note",)))

    assert text.startswith("1 error, 1 note in 1 file (vllm), with 2 nodes\n")
    assert "ERROR    serve.sh  graph-coverage  on spark1\n         seen\n         why: " in text
    assert text.count("why: ") == 1, "a reason is read once"
    assert found["nodes"] == [
        {"node": "spark1", "answered": True},
        {"node": "spark2", "answered": False, "error": "no route"},
    ]
    assert (found["facts"], found["notes"]) == ({"spark1": {}}, ["a note"])
    assert found["findings"][0]["why"]


def test_of_a_rule_that_is_not_known_there_is_no_reason() -> None:
    assert "why:" not in lint_text(_view("vllm serve m\n"), (_finding(rule="x"),))


def test_colours_are_for_terminals() -> None:
    view = _view("vllm serve m\n")

    assert "\x1b[31;1mERROR\x1b[0m    serve.sh" in lint_text(view, (_finding(),), color=True)
    assert "\x1b" not in lint_text(view, (_finding(evidence="\x1b[2J"),))


def test_nothing_found_names_no_engine_where_there_is_none() -> None:
    assert lint_text(_view("A=b\n", "x.env"), ()) == "nothing found in 1 file\n"
    assert lint_text(LintView(documents=(), parts=()), (_finding(line=3),)).startswith("1 error in 0 files\n")


def test_how_many_edits_are_safe() -> None:
    view = _view(
        "model: m\nruntime: vllm\ndefaults:\n  a: 1\n  b: 2\ncommand: vllm serve {model} --host ::1\n", "r.yaml"
    )
    found = tuple(one for rule in all_rules() for one in rule.run(view) if one.fix is not None)

    assert "2 of these are safe to fix" in lint_text(view, found)
    assert "one of these is safe to fix" in lint_text(view, found[:1])
    assert "safe to fix" not in lint_text(view, found, fixed=True)


@pytest.mark.parametrize(
    ("name", "text", "line", "shown"),
    [
        ("x.env", f"HF_TOKEN={_SECRET}\n", 1, "HF_TOKEN=***"),
        ("x.env", f"# HF_TOKEN={_SECRET}\n", 1, "# HF_TOKEN=***"),
        ("x.env", "\ufeffA=b\n", 1, "A=b"),
        ("x.env", "A=b\n", 9, ""),
        ("x.env", f"A={'b' * 300}\n", 1, f"A={'b' * 158} ..."),
        ("serve.sh", f"vllm serve m \\\n  --api-key \\\n  {_SECRET}\n", 3, "(not shown: it may hold a secret)"),
        ("serve.sh", "vllm serve m --api-key $HF_TOKEN\n", 1, "(not shown: it may hold a secret)"),
        (
            "compose.yaml",
            f"services: {{vllm: {{command: [vllm, serve, m, --api-key, {_SECRET}]}}}}\n",
            1,
            "(not shown: it may hold a secret)",
        ),
        (
            "compose.yaml",
            f"services:\n  vllm:\n    command: vllm serve m # token {_SECRET}\n",
            3,
            "(not shown: it may hold a secret)",
        ),
        ("compose.yaml", "services:\n  vllm:\n    secrets:\n      - hf\n", 3, "    secrets:"),
    ],
)
def test_lines_are_shown_without_secrets(name: str, text: str, line: int, shown: str) -> None:
    assert Lines(read_text(name, text)).shown(line) == shown


def test_lines_around_an_edit_are_shown_without_secrets() -> None:
    text = f"model: m\nruntime: vllm\nenv:\n  HF_TOKEN: {_SECRET}\n  A: b\ncommand: vllm serve m --api-key {_SECRET}\n"
    document: Document = read_text("r.yaml", text)

    shown = diff_text({"r.yaml": document}, {"r.yaml": text.replace("  A: b\n", "")})

    assert "-  A: b\n" in shown
    assert "HF_TOKEN" in shown
    assert _SECRET not in shown
    assert diff_text({"r.yaml": document}, {}) == ""
