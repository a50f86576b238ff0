"""Views of a node for cases about changes: a healthy GB10 with the differences that a case in YAML names."""

__all__ = ["BOOT", "profile_of", "view_of"]

import re
from dataclasses import fields, replace
from functools import cache
from typing import Any

from tests.support.interrupt_trees import gb10_interrupts
from tests.support.node_cases import lab_node
from tests.support.nodes import empty_node, readings_of_node, tree_over
from tests.support.trials import refuse_unknown

from sparktune.host.cpulist import parse_cpulist
from sparktune.host.facts import all_reads, read_facts
from sparktune.host.lab.node import node_tree
from sparktune.host.lab.tree import NodeTree
from sparktune.model.host_plan import HostChange, HostView
from sparktune.model.profile import EarlyoomStance, IrqPolicy, Mode, Profile
from sparktune.model.reads import Read, ReadCommand
from sparktune.model.transaction import JournalEntry

_LAB_KEYS = frozenset({"engine", "environment", "system", "rails", "driver", "cma_free_kib"})
_NODE_KEYS = _LAB_KEYS | {"base", "files", "commands", "links", "closed", "interrupts"}
_VIEW_KEYS = _NODE_KEYS | {"profile", "boot", "applied_boot", "placed"}
_EXPECTED = frozenset({"name", "why", "plan", "checks"})
_LAST_ADDRESS = 11
_ENUMS = {"mode": Mode, "irq": IrqPolicy, "earlyoom": EarlyoomStance}
_CPUS = re.compile(r"\{([0-9,-]+)\}")
BOOT = "00000000-0000-4000-8000-000000000001"


def view_of(change: HostChange, case: dict[str, Any], *, applied: bool = False) -> HostView:
    """Return what a change sees of the node that a case describes; ``applied``: the profile is so in this boot.

    ``base: empty`` begins with nothing instead of a healthy GB10. ``interrupts: gb10`` replaces the node's interrupts
    by 84 vectors of four ConnectX functions, one of the GPU, 16 of an NVMe disk and one of the Wi-Fi. In a path or a
    text of ``files`` ``{0-4}`` stands for one file for each CPU or number of the list, ``{}`` for the number.
    ``links``: targets by path. ``placed``: devices with the number of vectors that were placed by applying. ``boot`` is
    this boot's id, ``applied_boot`` that in which the profile was applied.
    """
    refuse_unknown({key: value for key, value in case.items() if key not in _EXPECTED}, _VIEW_KEYS)
    profile = profile_of(case.get("profile", {}))
    closed = tuple(case.get("closed", ()))
    tree = _laid_over(_base(case), case)
    facts = read_facts("spark1", readings_of_node(tree, all_reads(), closed))
    asked = change.reads(facts, profile)
    tree = _laid_over(_base(case), case, asked)
    boot = str(case.get("boot", BOOT))
    return HostView(
        facts=facts,
        profile=profile,
        readings=readings_of_node(tree, asked, closed),
        boot_id=boot,
        applied_boot=case.get("applied_boot", boot if applied else None),
        entries=tuple(
            JournalEntry(change=change.id, kind="irq", item=f"{device}#{place}", before="0-19", after=None)
            for device, vectors in case.get("placed", {}).items()
            for place in range(vectors)
        ),
    )


def profile_of(spec: dict[str, Any]) -> Profile:
    """Return a profile with the fields that differ from the default; enums by their value, lists for tuples."""
    refuse_unknown(spec, frozenset(field.name for field in fields(Profile)))
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in spec.items()}
    return replace(Profile(), **{key: _ENUMS[key](value) if key in _ENUMS else value for key, value in plain.items()})


def _base(case: dict[str, Any]) -> NodeTree:
    lab = {key: case[key] for key in sorted(_LAB_KEYS & set(case))}
    tree = empty_node() if case.get("base") == "empty" else _lab_tree(lab)
    if case.get("interrupts") != "gb10":
        return tree
    kept = {
        path: text
        for path, text in tree.files.items()
        if not path.startswith(("/proc/irq/", "/proc/interrupts")) and "/msi_irqs/" not in path
    }
    return NodeTree(files=kept | gb10_interrupts(), links=tree.links, commands=tree.commands)


_TREES: dict[str, NodeTree] = {}


def _lab_tree(spec: dict[str, Any]) -> NodeTree:
    """Return a lab node's tree; many cases begin with the same one."""
    key = repr(spec)
    if key not in _TREES:
        _TREES[key] = node_tree(lab_node(spec, _LAST_ADDRESS))
    return _TREES[key]


def _laid_over(tree: NodeTree, case: dict[str, Any], asked: tuple[Read, ...] = ()) -> NodeTree:
    files: dict[str, str | None] = {}
    for path, text in case.get("files", {}).items():
        numbers = _CPUS.search(path)
        for number in sorted(parse_cpulist(numbers[1])) if numbers else [0]:
            one = _CPUS.sub(str(number), path)
            files[one] = text if text is None or not numbers else str(text).replace("{}", str(number))
    commands = case.get("commands")
    if not asked:  # the commands of the change itself are not known yet
        known = [" ".join(argv) for argv in _fact_commands()]
        commands = {words: text for words, text in (commands or {}).items() if any(words in line for line in known)}
    return tree_over(tree, files=files, commands=commands, links=case.get("links"), reads=asked)


@cache
def _fact_commands() -> tuple[tuple[str, ...], ...]:
    return tuple(read.argv for read in all_reads() if isinstance(read, ReadCommand))
