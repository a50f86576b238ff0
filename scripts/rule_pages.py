"""The reference pages of what judges: metrics, checks, findings, rules of lint, aspects of drift, guards."""

from types import ModuleType

from page_parts import body_of, modules, page, rule_sections  # beside this file

from sparktune.bench import metrics, validity
from sparktune.deploy import rules
from sparktune.drift import aspects
from sparktune.experiment import checks as table_checks
from sparktune.experiment import guards
from sparktune.host import findings

__all__ = ["checks_page", "drift_page", "findings_page", "guards_page", "lint_page", "metrics_page"]


def _sentence(check: ModuleType, check_id: str) -> str:
    """Return the body of a check's page without the id that its heading has already."""
    text = body_of(check).removeprefix(f"{check_id}: ")
    return text[:1].upper() + text[1:]


def metrics_page() -> str:
    """Return the page of all metrics, in the order of their columns."""
    found = sorted(modules(metrics), key=lambda module: (module.METRIC.order, module.METRIC.name))
    sections = [f"## {module.METRIC.title} (`{module.METRIC.name}`)\n\n{body_of(module)}" for module in found]
    introduction = (
        "Every metric is one file in `src/sparktune/bench/metrics/`. The name in brackets is its key in JSON and CSV.\n"
        "A value that cannot be had is `null` with a `why`, never 0."
    )
    return page("Metrics", introduction, sections)


def checks_page() -> str:
    """Return the page of all validity checks, by id: that of a cell, and the same question asked of a table."""
    cells = {module.CHECK.id: module for module in modules(validity)}
    tables = {module.TABLE_CHECK.id: module for module in modules(table_checks)}
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
    return page("Validity checks", introduction, sections)


def _check_section(check_id: str, cell: ModuleType | None, table: ModuleType | None) -> str:
    title = cell.CHECK.title if cell else table.TABLE_CHECK.title if table else ""
    parts = [f"## {check_id}: {title}"]
    parts += [f"### Of a cell\n\n{_sentence(cell, check_id)}"] if cell else []
    parts += [f"### Of a table: {table.TABLE_CHECK.title}\n\n{_sentence(table, check_id)}"] if table else []
    return "\n\n".join(parts)


def findings_page() -> str:
    """Return the page of all findings, by id."""
    introduction = (
        "What `sparktune doctor` looks for; every finding is one file in `src/sparktune/host/findings/`.\n"
        "Facts that are missing make a rule silent: it never guesses. No finding claims a gain that nobody measured."
    )
    return page("Findings", introduction, rule_sections(findings, "FINDING"))


def lint_page() -> str:
    """Return the page of all rules of lint, by id."""
    introduction = (
        "What `sparktune lint` looks for; every rule is one file in `src/sparktune/deploy/rules/`. With nodes it asks\n"
        "[findings](findings.md) about variables, too. What a file does not tell makes a rule silent.\n"
        "It never guesses, and claims no gain that nobody measured. [How to use it](../guides/lint.md)."
    )
    return page("Rules of lint", introduction, rule_sections(rules, "RULE"))


def drift_page() -> str:
    """Return the page of all aspects of drift, by id."""
    introduction = (
        "What `sparktune drift` compares; every aspect is one file in `src/sparktune/drift/aspects/`. What could not\n"
        "be read is UNREADABLE, never OK. [How to use it](../guides/drift.md)."
    )
    return page("What can drift", introduction, rule_sections(aspects, "ASPECT"))


def guards_page() -> str:
    """Return the page of all guards, by id."""
    sections = []
    for module in sorted(modules(guards), key=lambda found: str(found.GUARD.id)):
        guard = module.GUARD
        limit = f"- **Limit**: `{guard.limit}`" if guard.limit else "- **Limit**: none; it is always on"
        facts = [limit, f"- **Why it matters**: {guard.why}"]
        body = body_of(module).removeprefix(f"{guard.id}: ")
        sections.append(f"## {guard.id}: {guard.title}\n\n{body[:1].upper()}{body[1:]}\n\n" + "\n".join(facts))
    introduction = (
        "What ends a load before it harms its host: every guard is one file in `src/sparktune/experiment/guards/`.\n"
        "Nodes are looked at twice a second. What is not known stops nothing, and which guards cannot watch is said.\n"
        "The limits are keys of `guard:` in `sparktune.yaml` and options of `sparktune guard`; see\n"
        "[the guide](../guides/guard.md)."
    )
    return page("Guards", introduction, sections)
