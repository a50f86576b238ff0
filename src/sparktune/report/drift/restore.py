"""What a restore would do: the edit of each file on each node, the commands in their order, and what it costs. Pure."""

__all__ = ["restore_text"]

import shlex
from collections.abc import Sequence

from sparktune.formats.kinds import read_text
from sparktune.model.arm_action import Action, Apply, AwaitAnswer, AwaitMemory, EndService, RunCommand, RunOnNode
from sparktune.model.document import Document, NotThisFormat
from sparktune.model.launcher import ArmPlan, LiveService
from sparktune.model.step import FileStep, Step
from sparktune.redact import redact_argv
from sparktune.report.lint.lines import diff_text
from sparktune.units import format_duration

_HERE = "this machine"


def restore_text(title: str, begin: Sequence[Action], plan: ArmPlan, why_anew: str = "") -> str:
    """Return the plan for people; secrets are gone from the lines around an edit.

    ``begin`` ends what runs now. ``why_anew`` is why that cannot be brought back exactly.
    """
    edits = [action for action in plan.actions if isinstance(action, Apply)]
    blocks = [title, *(_edit(edit) for edit in edits)]
    if not edits:
        blocks.append("No file is edited: they say it already, and what runs is older than they are.")
    lines = [line for action in (*begin, *plan.actions) if (line := _action_line(action))]
    numbered = "\n".join(f"  {number}. {line}" for number, line in enumerate((*lines, *_proofs(plan)), start=1))
    blocks.append(f"In this order:\n{numbered}")
    if why_anew:
        blocks.append(f"What runs now cannot be brought back exactly if this fails: {why_anew}")
    blocks.append(_cost(plan))
    return "\n\n".join(blocks) + "\n"


def _action_line(action: Action) -> str:
    """Return an action in a line, "" for one that nobody has to know of."""
    line = ""
    match action:
        case Apply():
            paths = ", ".join(path for step in action.steps if (path := _path(step)))
            line = f"{action.node or _HERE}: write {paths}"
        case RunOnNode() if "reset-failed" not in action.argv:
            line = f"{action.node or _HERE}: {shlex.join(redact_argv(action.argv))}"
        case RunCommand():
            line = f"{_HERE}: {_command(action)}"
        case EndService():
            first = f"{_command(action.command)}; then " if action.command else ""
            line = f"{_HERE}: {first}SIGTERM to what listens at port {action.service.port}, if anything does"
        case AwaitMemory():
            waits = f"wait until nothing of it runs and its memory is back, at most {format_duration(action.limit_s)}"
            line = f"{action.service.node or _HERE}: {waits}"
        case AwaitAnswer():
            line = f"wait until it generates a token, at most {format_duration(action.limit_s)}"
    return line


def _command(action: RunCommand) -> str:
    return shlex.join(redact_argv(action.argv)) + (f" (in {action.folder})" if action.folder else "")


def _edit(edit: Apply) -> str:
    documents: dict[str, Document] = {}
    texts: dict[str, str] = {}
    for step in edit.steps:
        if isinstance(step, FileStep):
            before = step.expect.get(step.path)
            documents[step.path] = _document(step.path, before if isinstance(before, str) else "")
            texts[step.path] = step.text or ""
    return f"{edit.node or _HERE}:\n{diff_text(documents, texts, now='restored')}".rstrip()


def _document(path: str, text: str) -> Document:
    try:
        return read_text(path, text)
    except NotThisFormat:
        return Document(format="", name=path, text=text)


def _path(step: Step) -> str:
    return step.path if isinstance(step, FileStep) else ""


def _proofs(plan: ArmPlan) -> list[str]:
    return [
        f"{reader.service.node or _HERE}: read it from inside the serving process"
        for reader in plan.readers
        if isinstance(reader, LiveService)
    ]


def _cost(plan: ArmPlan) -> str:
    parts = sum(isinstance(reader, LiveService) for reader in plan.readers)
    what = "a boot of its machine" if plan.takes == "reboot" else "a restart of the service"
    ranks = f", of all its {parts} parts" if parts > 1 else ""
    return (
        f"It costs {what}{ranks}: nothing is served meanwhile, and its caches are empty after it. When the value "
        "cannot be seen live, all of it is taken back."
    )
