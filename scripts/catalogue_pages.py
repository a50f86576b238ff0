"""The reference pages of what is known and what is told: messages, changes, knobs, pollers, series, engines."""

from page_parts import body_of, modules, page  # beside this file

from sparktune import engines
from sparktune.deploy.knobs import all_knobs
from sparktune.host import changes
from sparktune.host.pollers import known
from sparktune.logs.signatures import all_signatures
from sparktune.model.log import LogRole, LogSignature
from sparktune.model.place import KnownPoller
from sparktune.report.knobs import knob_text
from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.series import Alert, Series

__all__ = ["changes_page", "engines_page", "knobs_page", "log_messages_page", "pollers_page", "series_page"]

_WIDTH = 100


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
    return page("Messages in logs", introduction, sections)


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
    for module in sorted(modules(changes), key=lambda found: (found.CHANGE.order, found.CHANGE.id)):
        change = module.CHANGE
        facts = [
            f"- **Does**: {change.does}",
            f"- **Does not**: {change.does_not}",
            f"- **Expected effect**: {change.effect}",
        ]
        summary, _, sources = body_of(module).partition("\n\n")
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
    return page("Changes to a machine", introduction, sections)


def knobs_page() -> str:
    """Return the page of all knobs: what ``knobs show`` says of each."""
    sections = [f"## {knob.id}\n\n```text\n{knob_text(knob, _WIDTH).rstrip()}\n```" for knob in all_knobs()]
    introduction = (
        "What is known of each setting; every knob is one file in `src/sparktune/deploy/knobs/`, and\n"
        "`sparktune knobs show NAME` says the same. Effects are what others reported, under their conditions; none\n"
        "of them was measured by this project, and none is a promise."
    )
    return page("Knobs", introduction, sections)


def pollers_page() -> str:
    """Return the page of all pollers that are known by name, by id."""
    sections = []
    for module in sorted(modules(known), key=lambda found: str(found.POLLER.id)):
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
        sections.append(f"## {poller.id}: {poller.title}\n\n{body_of(module)}\n\n" + "\n".join(facts))
    introduction = (
        "Threads that `sparktune place scan` knows by the names of their process and of themselves, each one file in\n"
        "`src/sparktune/host/pollers/known/`. Being known proves nothing: what a thread does is measured, and one of\n"
        "no kind is judged by its counts alone. What makes a verdict, and what to do then:\n"
        "[find the thread that heats a fast core](../guides/hot-core.md)."
    )
    return page("Known pollers", introduction, sections)


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
    return page("Exported series", introduction, sections)


def _series_row(series: Series) -> str:
    labels = ", ".join(f"`{label}`" for label in series.labels)
    return f"| `{series.name}` | {series.kind.value} | {labels} | {series.help} |"


def _alert_item(alert: Alert) -> str:
    holds = "at once" if alert.holds.startswith("0") else f"after {alert.holds}"
    return f"- **{alert.name}** ({alert.severity}, {holds}): `{alert.expr}`"


def engines_page() -> str:
    """Return the page of all engines, in the order in which they are tried."""
    found = sorted(modules(engines), key=lambda module: int(module.ENGINE.rank))
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
        sections.append(f"## {engine.name}\n\n{body_of(module)}\n\n" + "\n".join(facts))
    introduction = "Every engine is one file in `src/sparktune/engines/`. They are tried in this order."
    return page("Engines", introduction, sections)
