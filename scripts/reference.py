"""Write the reference pages in docs/reference from the code, or check that they are current (``--check``).

The rules of alerts and the dashboard in docs/monitoring are written and checked with them.

The command pages are the commands' own help; the other pages are the docstrings and constants of the plug-in files.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from command_pages import commands_page, man_page, schema_file, schemas_page  # beside this file
from file_pages import file_formats_page, log_facts_page, parts_page
from schemas import SCHEMAS

from sparktune import engines
from sparktune.bench import metrics, validity
from sparktune.deploy import rules
from sparktune.deploy.knobs import all_knobs
from sparktune.drift import aspects
from sparktune.experiment import checks as table_checks
from sparktune.experiment import guards
from sparktune.host import changes, findings
from sparktune.host.pollers import known
from sparktune.logs.signatures import all_signatures
from sparktune.model.log import LogRole, LogSignature
from sparktune.model.place import KnownPoller
from sparktune.report.knobs import knob_text
from sparktune.report.prometheus.dashboard import dashboard_json
from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.rules import rules_yaml
from sparktune.report.prometheus.series import Alert, Series

_WIDTH = 100
_FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
_FIELDS = (
    "Formula:",
    "Unit:",
    "Better:",
    "Undefined when:",
    "Looks at:",
    "Warns when:",
    "Invalid when:",
    "Stops when:",
    "Unknown when:",
    "Off by default:",
    "Source:",
    "Sources:",
)


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        if not info.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{info.name}")


def _body(module: ModuleType) -> str:
    """Turn a docstring into Markdown: its named fields become a list, the rest stays."""
    lines, in_field = [], False
    for line in (module.__doc__ or "").strip().replace("``", "`").splitlines():
        field = next((name for name in _FIELDS if line.startswith(name)), None)
        in_field = bool(line) and (in_field or field is not None)
        if field is not None:
            lines.append(f"- **{field.rstrip(':')}**:{line.removeprefix(field)}")
        else:
            lines.append(f"  {line.strip()}" if in_field else line)
    return "\n".join(lines)


def _sentence(check: ModuleType, check_id: str) -> str:
    """Return the body of a check's page without the id that its heading has already."""
    text = _body(check).removeprefix(f"{check_id}: ")
    return text[:1].upper() + text[1:]


def _page(title: str, introduction: str, sections: list[str]) -> str:
    return "\n\n".join([f"# {title}", introduction, *sections]) + "\n"


def metrics_page() -> str:
    """Return the page of all metrics, in the order of their columns."""
    found = sorted(_modules(metrics), key=lambda module: (module.METRIC.order, module.METRIC.name))
    sections = [f"## {module.METRIC.title} (`{module.METRIC.name}`)\n\n{_body(module)}" for module in found]
    introduction = (
        "Every metric is one file in `src/sparktune/bench/metrics/`. The name in brackets is its key in JSON and CSV.\n"
        "A value that cannot be had is `null` with a `why`, never 0."
    )
    return _page("Metrics", introduction, sections)


def checks_page() -> str:
    """Return the page of all validity checks, by id: that of a cell, and the same question asked of a table."""
    cells = {module.CHECK.id: module for module in _modules(validity)}
    tables = {module.TABLE_CHECK.id: module for module in _modules(table_checks)}
    sections = [
        _check_section(check_id, cells.get(check_id), tables.get(check_id)) for check_id in sorted({**cells, **tables})
    ]
    introduction = (
        "A check answers `ok`, `warn`, `invalid` (the numbers are void) or `unknown` (what it needs cannot be had;\n"
        "the evidence says what). Ids are never reused. There are two kinds with the same ids:\n\n"
        "- **of a cell**: asked by `sparktune bench` after each cell, of everything that was recorded; one file\n"
        "  each in `src/sparktune/bench/validity/`.\n"
        "- **of a table**: asked by `sparktune check` of results that anybody measured, and by `sparktune ab` of its\n"
        "  own; one file each in `src/sparktune/experiment/checks/`. They know only what the table tells."
    )
    return _page("Validity checks", introduction, sections)


def _check_section(check_id: str, cell: ModuleType | None, table: ModuleType | None) -> str:
    title = cell.CHECK.title if cell else table.TABLE_CHECK.title if table else ""
    parts = [f"## {check_id}: {title}"]
    parts += [f"### Of a cell\n\n{_sentence(cell, check_id)}"] if cell else []
    parts += [f"### Of a table: {table.TABLE_CHECK.title}\n\n{_sentence(table, check_id)}"] if table else []
    return "\n\n".join(parts)


def findings_page() -> str:
    """Return the page of all findings, by id."""
    sections = []
    for module in sorted(_modules(findings), key=lambda found: str(found.FINDING.id)):
        rule = module.FINDING
        facts = [f"- **Why it matters**: {rule.why}", f"- **Source**: {rule.source}"]
        sections.append(f"## {rule.id}: {rule.title}\n\n{_body(module)}\n\n" + "\n".join(facts))
    introduction = (
        "What `sparktune doctor` looks for; every finding is one file in `src/sparktune/host/findings/`.\n"
        "Facts that are missing make a rule silent: it never guesses. No finding claims a gain that nobody measured."
    )
    return _page("Findings", introduction, sections)


_ROLES = {
    LogRole.ROOT: (
        "Can be a first cause",
        "The first of these in time, over the logs of all nodes, is what `sparktune logs` names.",
    ),
    LogRole.SECONDARY: (
        "Follows from another failure",
        "Loud, often last, and never the cause: something else failed before, in this process or on another node.",
    ),
    LogRole.NOTE: ("Worth knowing", "Ends nothing, but may explain a number or a failure that comes later."),
    LogRole.BENIGN: ("Noise", "Seen in healthy starts. Nothing has to be done."),
}


def log_messages_page() -> str:
    """Return the page of all messages whose meaning is known, by role and id."""
    sections = []
    for role, (title, text) in _ROLES.items():
        of_role = sorted((one for one in all_signatures() if one.role is role), key=lambda one: one.id)
        sections.append(f"## {title}\n\n{text}")
        sections += [_message_section(signature) for signature in of_role]
    introduction = (
        "What `sparktune logs` knows of the messages of engines and of what is below them. Every message is one file\n"
        "in `src/sparktune/logs/signatures/`. A message that is not here is shown as unknown, with the lines around it."
    )
    return _page("Messages in logs", introduction, sections)


def _message_section(signature: LogSignature) -> str:
    says = ", ".join(f"`{word.strip()}`" for word in signature.words)
    facts = [
        ("Cause", signature.cause),
        ("What to do", signature.fix),
        ("In the line", says),
        ("Source", signature.source),
    ]
    listed = "\n".join(f"- **{name}**: {text}" for name, text in facts if text)
    return f"### {signature.id}: {signature.title}\n\n{listed}"


def changes_page() -> str:
    """Return the page of all changes to a machine, in the order in which a plan has them."""
    sections = []
    for module in sorted(_modules(changes), key=lambda found: (found.CHANGE.order, found.CHANGE.id)):
        change = module.CHANGE
        facts = [
            f"- **Does**: {change.does}",
            f"- **Does not**: {change.does_not}",
            f"- **Expected effect**: {change.effect}",
        ]
        summary, _, sources = _body(module).partition("\n\n")
        parts = [
            f"## {change.id}: {change.title}",
            summary,
            "\n".join(facts),
            sources or f"- **Source**: {change.source}",
        ]
        sections.append("\n\n".join(parts))
    introduction = (
        "What `sparktune host` can change on a machine, in the order of a plan; `--without ID` leaves one out. Every\n"
        "change is one file in `src/sparktune/host/changes/`. `sparktune host plan --explain` says the same of a plan."
    )
    return _page("Changes to a machine", introduction, sections)


def lint_page() -> str:
    """Return the page of all rules of lint, by id."""
    sections = []
    for module in sorted(_modules(rules), key=lambda found: str(found.RULE.id)):
        rule = module.RULE
        facts = [f"- **Why it matters**: {rule.why}", f"- **Source**: {rule.source}"]
        sections.append(f"## {rule.id}: {rule.title}\n\n{_body(module)}\n\n" + "\n".join(facts))
    introduction = (
        "What `sparktune lint` looks for; every rule is one file in `src/sparktune/deploy/rules/`. With nodes it asks\n"
        "[findings](findings.md) about variables, too. What a file does not tell makes a rule silent.\n"
        "It never guesses, and claims no gain that nobody measured. [How to use it](../guides/lint.md)."
    )
    return _page("Rules of lint", introduction, sections)


def knobs_page() -> str:
    """Return the page of all knobs: what ``knobs show`` says of each."""
    sections = [f"## {knob.id}\n\n```text\n{knob_text(knob, _WIDTH).rstrip()}\n```" for knob in all_knobs()]
    introduction = (
        "What is known of each setting; every knob is one file in `src/sparktune/deploy/knobs/`, and\n"
        "`sparktune knobs show NAME` says the same. Effects are what others reported, under their conditions; none\n"
        "of them was measured by this project, and none is a promise."
    )
    return _page("Knobs", introduction, sections)


def drift_page() -> str:
    """Return the page of all aspects of drift, by id."""
    sections = []
    for module in sorted(_modules(aspects), key=lambda found: str(found.ASPECT.id)):
        aspect = module.ASPECT
        facts = [f"- **Why it matters**: {aspect.why}", f"- **Source**: {aspect.source}"]
        sections.append(f"## {aspect.id}: {aspect.title}\n\n{_body(module)}\n\n" + "\n".join(facts))
    introduction = (
        "What `sparktune drift` compares; every aspect is one file in `src/sparktune/drift/aspects/`. What could not\n"
        "be read is UNREADABLE, never OK. [How to use it](../guides/drift.md)."
    )
    return _page("What can drift", introduction, sections)


def guards_page() -> str:
    """Return the page of all guards, by id."""
    sections = []
    for module in sorted(_modules(guards), key=lambda found: str(found.GUARD.id)):
        guard = module.GUARD
        limit = f"- **Limit**: `{guard.limit}`" if guard.limit else "- **Limit**: none; it is always on"
        facts = [limit, f"- **Why it matters**: {guard.why}"]
        body = _body(module).removeprefix(f"{guard.id}: ")
        sections.append(f"## {guard.id}: {guard.title}\n\n{body[:1].upper()}{body[1:]}\n\n" + "\n".join(facts))
    introduction = (
        "What ends a load before it harms its host: every guard is one file in `src/sparktune/experiment/guards/`.\n"
        "Nodes are looked at twice a second. What is not known stops nothing, and which guards cannot watch is said.\n"
        "The limits are keys of `guard:` in `sparktune.yaml` and options of `sparktune guard`; see\n"
        "[the guide](../guides/guard.md)."
    )
    return _page("Guards", introduction, sections)


def pollers_page() -> str:
    """Return the page of all pollers that are known by name, by id."""
    sections = []
    for module in sorted(_modules(known), key=lambda found: str(found.POLLER.id)):
        poller = module.POLLER
        named = f"`{poller.process.pattern}`" if poller.process.pattern else "any"
        facts = [
            f"- **Its process**: {named}",
            f"- **Its thread**: `{poller.thread.pattern}`" if poller.thread is not None else "- **Its thread**: any",
            *([f"- **Certain only with one of**: {', '.join(poller.needs)}"] if poller.needs else []),
            f"- **What is known**: {poller.why}",
            f"- **First**: {poller.fix}",
            f"- **Moved alone**: {_moved(poller)}",
            f"- **Source**: {poller.source}",
        ]
        sections.append(f"## {poller.id}: {poller.title}\n\n{_body(module)}\n\n" + "\n".join(facts))
    introduction = (
        "Threads that `sparktune place scan` knows by the names of their process and of themselves, each one file in\n"
        "`src/sparktune/host/pollers/known/`. Being known proves nothing: what a thread does is measured, and one of\n"
        "no kind is judged by its counts alone. What makes a verdict, and what to do then:\n"
        "[find the thread that heats a fast core](../guides/hot-core.md)."
    )
    return _page("Known pollers", introduction, sections)


def _moved(poller: KnownPoller) -> str:
    if poller.computes:
        return "never; it does the work, and is never called certain"
    return "yes, where a scan shows that it polls" if poller.placement else "no, see above"


def series_page() -> str:
    """Return the page of all series that are exported, in the order of the dashboard, with their alerts."""
    sections = []
    for group in all_groups():
        table = ["| series | kind | labels | what it says |", "|---|---|---|---|", *map(_series_row, group.series)]
        alerts = [_alert_item(alert) for series in group.series for alert in series.alerts]
        parts = [f"## {group.title}", "\n".join(table), *(["\n".join(alerts)] if alerts else [])]
        sections.append("\n\n".join(parts))
    introduction = (
        "What `sparktune export prometheus` tells; every group is one file in\n"
        "`src/sparktune/report/prometheus/groups/`. What is not known has no value: its series is absent, and\n"
        "`sparktune_unknown` says why. "
        "[How to use it](../guides/monitoring.md)."
    )
    return _page("Exported series", introduction, sections)


def _series_row(series: Series) -> str:
    labels = ", ".join(f"`{label}`" for label in series.labels)
    return f"| `{series.name}` | {series.kind.value} | {labels} | {series.help} |"


def _alert_item(alert: Alert) -> str:
    holds = "at once" if alert.holds.startswith("0") else f"after {alert.holds}"
    return f"- **{alert.name}** ({alert.severity}, {holds}): `{alert.expr}`"


def engines_page() -> str:
    """Return the page of all engines, in the order in which they are tried."""
    found = sorted(_modules(engines), key=lambda module: int(module.ENGINE.rank))
    sections = []
    for module in found:
        engine = module.ENGINE
        facts = [
            f"- **Asked with GET**: {', '.join(f'`{path}`' for path in engine.probe_paths)}",
            f"- **Output in**: {', '.join(f'`{name}`' for name in sorted(engine.text_fields))}",
            f"- **Seen by a user**: {', '.join(f'`{name}`' for name in sorted(engine.visible_fields))}",
            f"- **Fixed output length**: {'yes' if engine.fixes_length else 'no'}",
            f"- **Counters**: {f'`{engine.metrics_path}`' if engine.metrics_path else 'none'}",
        ]
        sections.append(f"## {engine.name}\n\n{_body(module)}\n\n" + "\n".join(facts))
    introduction = "Every engine is one file in `src/sparktune/engines/`. They are tried in this order."
    return _page("Engines", introduction, sections)


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "metrics.md": metrics_page,
    "checks.md": checks_page,
    "engines.md": engines_page,
    "findings.md": findings_page,
    "changes.md": changes_page,
    "knobs.md": knobs_page,
    "lint.md": lint_page,
    "guards.md": guards_page,
    "log-messages.md": log_messages_page,
    "drift.md": drift_page,
    "file-formats.md": file_formats_page,
    "log-facts.md": log_facts_page,
    "parts.md": parts_page,
    "pollers.md": pollers_page,
    "exported-series.md": series_page,
    "../monitoring/sparktune.rules.yml": rules_yaml,
    "../monitoring/sparktune.dashboard.json": dashboard_json,
    "json.md": schemas_page,
    "sparktune.1": man_page,
    **{f"schemas/{name}.v1.json": schema_file(name) for name in sorted(SCHEMAS)},
}


def main() -> int:
    """Write the pages, or name those that differ and return 1."""
    stale = []
    for name, page in PAGES.items():
        path, text = _FOLDER / name, page()
        if "--check" in sys.argv[1:]:
            if not path.is_file() or path.read_text() != text:
                stale.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for name in stale:
        print(f"docs/reference/{name} is not current; run: make docs", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
