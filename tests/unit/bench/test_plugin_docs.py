"""The reference pages are made of docstrings, so a docstring that lacks a field or contradicts the code is a fault."""

import importlib
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from scripts.rule_pages import checks_page, metrics_page

from sparktune.bench import metrics, validity
from sparktune.experiment import checks as table_checks

_METRIC_FIELDS = ("Formula:", "Unit:", "Better:", "Undefined when:", "Source:")
_CHECK_FIELDS = ("Looks at:", "Warns when:", "Invalid when:", "Unknown when:", "Source:")
_REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference"
_UNITS = {"s": "_s", "tok/s": "_tok_s", "requests/s": "_rps", "share": "", "tokens": "", "1": ""}


def _modules(package: ModuleType) -> list[ModuleType]:
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_"))
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]


def _name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _field(module: ModuleType, field: str) -> str:
    found = re.search(rf"^{field} (.+)$", module.__doc__ or "", re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize("module", _modules(metrics), ids=_name)
def test_a_metric_says_how_it_is_computed(module: ModuleType) -> None:
    metric = module.METRIC

    assert [field for field in _METRIC_FIELDS if not _field(module, field)] == []
    assert _field(module, "Unit:") == metric.unit
    assert _field(module, "Better:") == metric.better.value
    assert metric.name == _name(module)
    assert metric.name.endswith(_UNITS[metric.unit])


@pytest.mark.parametrize("module", _modules(validity), ids=_name)
def test_a_check_says_when_it_flags(module: ModuleType) -> None:
    check = module.CHECK

    assert [field for field in _CHECK_FIELDS if not _field(module, field)] == []
    assert (module.__doc__ or "").startswith(f"{check.id}: ")
    assert _name(module).startswith(f"{check.id.lower()}_")


@pytest.mark.parametrize("module", _modules(table_checks), ids=_name)
def test_a_rule_of_tables_says_when_it_flags(module: ModuleType) -> None:
    check = module.TABLE_CHECK

    assert [field for field in _CHECK_FIELDS if not _field(module, field)] == []
    assert (module.__doc__ or "").startswith(f"{check.id}: ")
    assert _name(module).startswith(f"{check.id.lower()}_")
    assert check.title
    assert check.source


def test_names_ids_and_columns_are_unique() -> None:
    found = [module.METRIC for module in _modules(metrics)]
    ids = [module.CHECK.id for module in _modules(validity)]
    rules = [module.TABLE_CHECK.id for module in _modules(table_checks)]

    for values in (ids, rules, [m.name for m in found], [m.title for m in found], [m.order for m in found]):
        assert len(set(values)) == len(values)


@pytest.mark.parametrize(("name", "page"), [("metrics.md", metrics_page), ("checks.md", checks_page)])
def test_the_reference_page_is_current(name: str, page: Callable[[], str]) -> None:
    """A page that is not written again after a change would tell a formula that is no longer computed."""
    assert (_REFERENCE / name).read_text() == page(), "run: make docs"


def test_the_reference_pages_have_everything() -> None:
    metric_page, check_page = metrics_page(), checks_page()

    assert [module.METRIC.name for module in _modules(metrics) if f"`{module.METRIC.name}`" not in metric_page] == []
    assert [module.CHECK.id for module in _modules(validity) if f"## {module.CHECK.id}: " not in check_page] == []
    titles = [module.TABLE_CHECK.title for module in _modules(table_checks)]
    assert [title for title in titles if f"### Of a table: {title}" not in check_page] == []
