"""What the generated pages of plug-ins share: their files in order, a docstring as Markdown, a page of sections."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

__all__ = ["body_of", "modules", "page", "rule_sections"]

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


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield the plug-in files of a package, by their names."""
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        if not info.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{info.name}")


def body_of(module: ModuleType) -> str:
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


def page(title: str, introduction: str, sections: list[str]) -> str:
    """Return a page of these sections under its title."""
    return "\n\n".join([f"# {title}", introduction, *sections]) + "\n"


def rule_sections(package: ModuleType, constant: str) -> list[str]:
    """Return a section for each rule of a package, by id: its docstring, why it matters, and its source."""
    found = []
    for module in sorted(modules(package), key=lambda one: str(getattr(one, constant).id)):
        rule = getattr(module, constant)
        facts = [f"- **Why it matters**: {rule.why}", f"- **Source**: {rule.source}"]
        found.append(f"## {rule.id}: {rule.title}\n\n{body_of(module)}\n\n" + "\n".join(facts))
    return found
