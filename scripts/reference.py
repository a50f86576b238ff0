"""Write the reference pages in docs/reference from the code, or check that they are current (``--check``).

The rules of alerts and the dashboard in docs/monitoring are written and checked with them.

The command pages are the commands' own help; the other pages are the docstrings and constants of the plug-in files.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from catalogue_pages import (
    changes_page,
    engines_page,
    knobs_page,
    log_messages_page,
    pollers_page,
    series_page,
)  # beside this file
from command_pages import commands_page, man_page, schema_file, schemas_page
from file_pages import file_formats_page, log_facts_page, parts_page
from rule_pages import checks_page, drift_page, findings_page, guards_page, lint_page, metrics_page
from schemas import SCHEMAS

from sparktune.report.prometheus.dashboard import dashboard_json
from sparktune.report.prometheus.rules import rules_yaml

_FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
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
