"""``lint``: read files of settings with what belongs to them, ask every rule, and what nodes say of them."""

__all__ = ["Lint", "LintQuestion", "fixed_texts", "lint", "write_fixes"]

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sparktune.deploy.rules import all_rules
from sparktune.deploy.settings.view import view_of
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.doctor import facts_of
from sparktune.flows.lint_nodes import node_findings
from sparktune.flows.one_host import second_names
from sparktune.formats.kinds import all_formats, read_text
from sparktune.host.facts import all_reads
from sparktune.io.case_files import read_case_files
from sparktune.io.cluster import NodeTarget
from sparktune.io.setting_files import SettingFile, beside, read_json_file, read_setting_files, write_setting_file
from sparktune.io.sparkrun_validate import validate_recipe
from sparktune.io.transport.fanout import observe_all
from sparktune.model.document import Document, NotThisFormat
from sparktune.model.finding import Severity
from sparktune.model.lint import Fix, LintFinding, LintView
from sparktune.model.node import NodeFacts

_ORDER: Final = tuple(Severity)
# By the rule that knows better what is so: those that it makes superfluous at the same line
_WEAKER: Final = {
    "gid-index-empty": ("pinned-gid",),
    "gid-index-unusable": ("pinned-gid",),
    "gid-index-shared": ("pinned-gid",),
    "gid-index-differs": ("pinned-gid",),
    "socket-without-address": ("socket-interface", "control-on-wifi"),
}
_NAMED_IN: Final = {"compose": ("env_file",), "unit": ("EnvironmentFile",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LintQuestion:
    """What is asked: ``files`` as named (``-`` is standard input), nodes to ask, or a folder of their loose files.

    ``image_facts`` is a file with what an image is: ``docker image inspect``, or owners of its folders besides.
    """

    files: tuple[str, ...]
    targets: tuple[NodeTarget, ...] = ()
    folder: Path | None = None
    image_facts: Path | None = None
    ask_sparkrun: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """``findings`` are in the order of files and lines; ``notes`` say what else was read, or left aside."""

    view: LintView
    files: tuple[SettingFile, ...]
    findings: tuple[LintFinding, ...]
    nodes: tuple[NodeFacts, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def exit_code(self) -> ExitCode:
        """DIFFERENCES for an error or a warning, as ``doctor``; FAILED when a node did not answer."""
        if any(one.severity is not Severity.INFO for one in self.findings):
            return ExitCode.DIFFERENCES
        return ExitCode.FAILED if any(node.failure for node in self.nodes) else ExitCode.DONE


def lint(question: LintQuestion) -> Lint:
    """Look at everything. Raises UsageError for a file that cannot be read, with its line and what to do."""
    notes: list[str] = []
    files, documents = _documents(question.files, notes)
    nodes = _nodes(question, notes)
    tools: dict[str, object] = {}
    if question.image_facts is not None:
        tools["images"] = _images(read_json_file(question.image_facts))
    if question.ask_sparkrun:
        tools["sparkrun"] = _sparkrun(files, documents, notes)
    view = view_of(documents, nodes=nodes, tools=tools)
    found = [one for rule in all_rules() for one in rule.run(view)]
    found = _without_weaker([*found, *node_findings(view)])
    findings = _with_possible_fixes(_sorted(found, documents), documents)
    return Lint(view=view, files=files, findings=findings, nodes=nodes, notes=tuple(notes))


def fixed_texts(asked: Lint) -> dict[str, str]:
    """Return what the files say with all safe fixes, by name, only those that change."""
    before = {one.name: one for one in asked.view.documents}
    after = dict(before)
    for fix in dict.fromkeys(one.fix for one in asked.findings if one.fix is not None):
        after[fix.file] = _edited(after[fix.file], fix) or after[fix.file]
    return {name: one.text for name, one in after.items() if one.text != before[name].text}


def write_fixes(asked: Lint, texts: Mapping[str, str]) -> None:
    """Write edited files. Raises UsageError where one has changed meanwhile: that one stays."""
    files = {one.name: one for one in asked.files}
    for name, text in texts.items():
        write_setting_file(files[name], text)


def _edited(document: Document, fix: Fix) -> Document | None:
    """Return a document with an edit, None where it cannot be made without changing more."""
    writer = next(one for one in all_formats() if one.id == document.format)
    try:
        return writer.read(document.name, writer.write(document, fix.part, fix.kind, fix.name, fix.value))
    except ValueError:
        return None


def _with_possible_fixes(findings: Sequence[LintFinding], documents: Sequence[Document]) -> tuple[LintFinding, ...]:
    """Take the edits off that cannot be made, one after the other as they would be."""
    now = {one.name: one for one in documents}
    kept: list[LintFinding] = []
    for finding in findings:
        edited = _edited(now[finding.fix.file], finding.fix) if finding.fix is not None else None
        if finding.fix is not None and edited is not None:
            now[finding.fix.file] = edited
            kept.append(finding)
        else:
            kept.append(replace(finding, fix=None))
    return tuple(kept)


def _without_weaker(found: Sequence[LintFinding]) -> list[LintFinding]:
    """Leave out what a file alone lets suspect, where a node's facts say at the same line what is so."""
    certain = {(one.file, one.line, weaker) for one in found for weaker in _WEAKER.get(one.rule, ())}
    return [one for one in found if (one.file, one.line, one.rule) not in certain]


def _documents(names: Sequence[str], notes: list[str]) -> tuple[tuple[SettingFile, ...], tuple[Document, ...]]:
    files = list(read_setting_files(names))
    documents = [_document(file) for file in files]
    for file, document in zip(tuple(files), tuple(documents), strict=True):
        for added in beside(file, _named(document), files):
            try:
                documents.append(_document(added))
            except UsageError as error:
                notes.append(f"{added.name} belongs to {file.name} and is left aside: {error}")
                continue
            files.append(added)
            notes.append(f"{added.name} is read too: it belongs to {file.name}")
    return tuple(files), tuple(documents)


def _document(file: SettingFile) -> Document:
    try:
        return read_text(file.name, file.text)
    except NotThisFormat as error:
        place = f"{file.name}:{error.line}" if error.line else file.name
        message = f"{place}: {str(error).removeprefix(f'line {error.line}: ')}"
        raise UsageError(message, hint=error.hint) from None


def _named(document: Document) -> tuple[str, ...]:
    """Return the files that a document names, and those that count beside it."""
    keys = _NAMED_IN.get(document.format, ())
    named = [
        (entry.text or "").removeprefix("-")
        for entry in document.entries
        if entry.kind == "key"
        and keys
        and entry.name.startswith(keys)
        and not entry.name.endswith((".required", ".format"))
    ]
    return (*([".env"] if document.format == "compose" else []), *(one for one in named if one and "$" not in one))


def _nodes(question: LintQuestion, notes: list[str]) -> tuple[NodeFacts, ...]:
    if question.folder is not None:
        return read_case_files(question.folder).cluster.nodes
    if not question.targets:
        return ()
    answers = asyncio.run(observe_all(question.targets, all_reads()))
    notes += second_names(question.targets, {one.target: one.hello for one in answers if one.hello is not None})
    return tuple(map(facts_of, answers))


def _images(told: object) -> dict[str, object]:
    """Return facts by the name of the image: of ``docker image inspect``, or of a mapping for any image."""
    if isinstance(told, dict):
        return {"": told}
    found: dict[str, object] = {}
    for one in told if isinstance(told, list) else ():
        config = one.get("Config") if isinstance(one, dict) else None
        if not isinstance(config, dict):
            continue
        pairs = (str(word).partition("=") for word in config.get("Env") or ())
        facts = {"user": config.get("User") or "root", "env": {name: value for name, _, value in pairs}}
        names = (*(one.get("RepoTags") or ()), *(one.get("RepoDigests") or ()))
        found.update({str(name): facts for name in names})
    return found


def _sparkrun(files: Sequence[SettingFile], documents: Sequence[Document], notes: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for file, document in zip(files, documents, strict=True):
        if document.format != "recipe" or file.path is None:
            continue
        told = validate_recipe(file.path)
        if told.answer is not None:
            found[file.name] = told.answer
        elif told.why not in notes:
            notes.append(told.why)
    return found


def _sorted(found: Sequence[LintFinding], documents: Sequence[Document]) -> tuple[LintFinding, ...]:
    order = {one.name: place for place, one in enumerate(documents)}
    return tuple(
        sorted(
            dict.fromkeys(found),
            key=lambda one: (
                order.get(one.file, len(order)),
                one.line or 0,
                _ORDER.index(one.severity),
                one.rule,
                one.node or "",
            ),
        )
    )
