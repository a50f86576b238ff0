"""What rules of lint have in common: how one is made, numbers and texts of a part, mounts, versions."""

__all__ = [
    "Found",
    "at",
    "drafts",
    "every_part",
    "key_text",
    "lint_rule",
    "many_nodes",
    "mounts",
    "number",
    "part_rule",
    "text",
    "version",
]

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sparktune.deploy.image_facts import version_of_image
from sparktune.model.finding import Severity
from sparktune.model.lint import Fix, LintFinding, LintRule, LintView, Part
from sparktune.model.setting import Setting
from sparktune.redact import redact_text

# What sparkrun mounts into every container (0.4.2, docker run): the hub's cache and the compiled kernels
_SPARKRUN_MOUNTS = ("/cache/huggingface", "/cache/runtime")
_MOUNT_FIELDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding before its rule is written on it; ``line`` 0 is the whole file, ``source`` "" that of the rule."""

    severity: Severity
    evidence: str
    hint: str
    file: str
    line: int = 0
    fix: Fix | None = None
    source: str = ""


def lint_rule(
    name: str, *, title: str, why: str, source: str, judge: Callable[[LintView], Iterable[Found]]
) -> LintRule:
    """Make a rule that looks at everything that was given."""

    def run(view: LintView) -> tuple[LintFinding, ...]:
        return tuple(
            LintFinding(
                rule=name,
                severity=one.severity,
                file=one.file,
                evidence=redact_text(" ".join(one.evidence.split())),
                hint=" ".join(one.hint.split()),
                source=one.source or source,
                line=one.line or None,
                fix=one.fix,
            )
            for one in judge(view)
        )

    return LintRule(id=name, title=title, why=why, source=source, run=run)


def part_rule(
    name: str, *, title: str, why: str, source: str, judge: Callable[[Part, LintView], Iterable[Found]]
) -> LintRule:
    """Make a rule that looks at one server at a time."""
    return lint_rule(
        name,
        title=title,
        why=why,
        source=source,
        judge=lambda view: (found for part in view.parts for found in judge(part, view)),
    )


def every_part(view: LintView, form: str) -> Iterator[Part]:
    """Yield the parts of files of one format."""
    return (part for part in view.parts if part.document.format == form)


def at(setting: Setting, severity: Severity, evidence: str, hint: str, *, fix: Fix | None = None) -> Found:
    """Return a finding at the place where a setting is written."""
    place = setting.origin
    return Found(severity=severity, evidence=evidence, hint=hint, file=place.place, line=place.line, fix=fix)


def number(part: Part, *keys: str) -> float | None:
    """Return the first of these settings that is a number."""
    for key in keys:
        found = part.settings.get(key)
        if found is not None and isinstance(found.value, int | float) and not isinstance(found.value, bool):
            return found.value
    return None


def text(part: Part, key: str) -> str:
    """Return a setting that is a text, "" where it is none."""
    found = part.settings.get(key)
    return found.value if found is not None and isinstance(found.value, str) else ""


def key_text(part: Part, name: str) -> str:
    """Return what a key of the service says, "" where it is not there."""
    found = part.keys.get(name)
    return str(found.value) if found is not None and found.value is not None else ""


def drafts(part: Part) -> int | None:
    """Return how many tokens are drafted in a step: 0 without speculation, None where that is not known."""
    speculation = [key for key in part.settings if key.split(".")[0] == "speculative_config"]
    if not speculation:
        return 0
    found = number(part, "speculative_config.num_speculative_tokens")
    return int(found) if found is not None else None


def many_nodes(part: Part) -> bool:
    """Whether a part that no launcher sets up is one of several nodes: counted, or set up for RDMA to others."""
    if (number(part, "nnodes") or 1) > 1 or (number(part, "node_rank") or 0) > 0:
        return True
    return any(
        found is not None and bool(found.value)
        for found in (part.environment.get(name) for name in ("NCCL_IB_HCA", "NCCL_IB_GID_INDEX"))
    )


def mounts(part: Part) -> tuple[str, ...]:
    """Return the folders of the container that are mounts."""
    found = list(_SPARKRUN_MOUNTS) if part.document.format == "recipe" else []
    for name, setting in part.keys.items():
        said = str(setting.value or "")
        if ".target" in name or ".destination" in name:
            found.append(said)
        elif name.startswith(("volumes[", "executor_config.volumes", "tmpfs[")) and "." not in name.rpartition("]")[2]:
            fields = said.split(":")
            found.append(fields[1] if len(fields) >= _MOUNT_FIELDS else said)
        elif name.startswith("mounts["):
            members = dict(field.partition("=")[::2] for field in said.split(","))
            found += [members[key] for key in ("target", "dst", "destination") if key in members]
        elif name.startswith("executor_config.volumes."):
            found.append(said.partition(":")[0])
    return tuple(one.rstrip("/") for one in found if one.startswith("/"))


def version(part: Part) -> tuple[int, int] | None:
    """Return the version of vLLM that a part runs, where its image tells."""
    return version_of_image(part.image)
