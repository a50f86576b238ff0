"""``sparktune export``: what a Prometheus is told, the rules of its alerts, and a dashboard."""

__all__ = ["register"]

from pathlib import Path
from typing import Annotated

import typer

from sparktune.cli._options import Nodes

_Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it here instead of to stdout.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Tell a Prometheus what sparktune knows of the nodes.")
    group.callback()(_group)
    group.command("prometheus", short_help="Ask the nodes, and write or serve what they told.")(prometheus)
    group.command("alerts", short_help="Print rules of alerts for it.")(alerts)
    group.command("dashboard", short_help="Print a Grafana dashboard for it.")(dashboard)
    app.add_typer(group, name="export", short_help="Tell a Prometheus of nodes, findings, drift, earned settings.")


def _group() -> None:
    """Tell a Prometheus what sparktune knows of the nodes."""


def prometheus(
    nodes: Nodes = "",
    place: Annotated[
        bool, typer.Option("--place", help="Also scan for threads that poll: ten seconds or more each time.")
    ] = False,
    earned: Annotated[
        Path | None, typer.Option("--earned", metavar="FILE", help="earned.yaml here or beside sparktune.yaml if not.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE.prom", help="Write for node_exporter's textfile collector, whole, mode 0644."
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="[HOST:]PORT", help="Serve /metrics until SIGTERM; on 127.0.0.1 if bare.")
    ] = "",
    every: Annotated[
        str, typer.Option("--every", metavar="TIME", help="How often --listen asks the nodes; 60s unless given.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (schema 1) instead.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Nothing on stderr while nothing is wrong.")] = False,
) -> None:
    """Ask nodes and services what doctor, drift and place status ask, and tell it as a Prometheus reads it.

    Changes nothing. What is not known has no value: its series is absent, and sparktune_unknown says why. Findings and
    drift are in the values, not in the exit code. Ends with 0, or with 1 when a node did not answer or a part failed:
    what is known is written all the same.
    """
    from sparktune.cli._export import ExportArguments, run_export

    run_export(
        ExportArguments(
            nodes=nodes, place=place, earned=earned, out=out, listen=listen, every=every, as_json=as_json, quiet=quiet
        )
    )


def alerts(out: _Out = None) -> None:
    """Print rules of alerts, YAML for rule_files of Prometheus; each has a severity and names the next command."""
    from sparktune.cli._endings import refuse_ending
    from sparktune.cli._export import write_generated
    from sparktune.report.prometheus.rules import rules_yaml

    refuse_ending(out, "YAML")
    write_generated(rules_yaml(), out)


def dashboard(out: _Out = None) -> None:
    """Print a dashboard, JSON to import into Grafana 10 or later."""
    from sparktune.cli._endings import refuse_ending
    from sparktune.cli._export import write_generated
    from sparktune.report.prometheus.dashboard import dashboard_json

    refuse_ending(out, "JSON")
    write_generated(dashboard_json(), out)
