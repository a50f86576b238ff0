"""``sparktune quality``: does a server still answer as it should?"""

__all__ = ["register"]

from typing import Annotated

import typer

from sparktune.cli._options import Address, ApiKey, ApiKeyFile, Model, Quiet, Service, Thinking, Wait


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("quality", short_help="Ask a server tool calls and a canary, and say what its answers prove.")(quality)


def quality(
    url: Address = "",
    service: Service = "",
    model: Model = "",
    api_key: ApiKey = "",
    api_key_file: ApiKeyFile = None,
    only: Annotated[
        str, typer.Option("--only", metavar="tools|canary", help="Ask one of them; both unless given.")
    ] = "",
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, max=100, help="How often the canary is asked: do answers repeat?")
    ] = 2,
    answer_tokens: Annotated[
        int, typer.Option("--answer-tokens", min=1, help="Limit of an answer of the battery; thinking counts, too.")
    ] = 1024,
    answer_timeout: Annotated[
        float, typer.Option("--answer-timeout", min=0.1, metavar="SECONDS", help="An answer that takes longer is none.")
    ] = 60.0,
    limit: Annotated[
        float,
        typer.Option(
            "--limit", min=1, metavar="SECONDS", help="Time for one round: what is not asked by then is unknown."
        ),
    ] = 300.0,
    thinking: Thinking = "server",
    extra_body: Annotated[
        str, typer.Option("--extra-body", metavar="JSON", help="A JSON object that is added to every request.")
    ] = "{}",
    wait: Wait = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (schema 1), with every answer.")] = False,
    quiet: Quiet = False,
) -> None:
    """Ask tool calls with one right answer, and fixed prompts, greedily, one after the other.

    Says how many answers are right and what that proves, which are wrong and why, which look garbled, and whether the
    same prompt is answered the same again. Compare two settings with: sparktune ab, and quality: true in its file.

    Ends with 0 when everything that was asked could be judged, 5 when not, 1 when the server cannot be asked.
    """
    from sparktune.cli._quality import QualityArguments, run_quality

    run_quality(
        QualityArguments(
            url=url,
            service=service,
            model=model,
            api_key=api_key,
            api_key_file=api_key_file,
            only=only,
            repeats=repeats,
            answer_tokens=answer_tokens,
            answer_s=answer_timeout,
            limit_s=limit,
            thinking=thinking,
            extra_body=extra_body,
            wait_s=wait,
            json=as_json,
            quiet=quiet,
        )
    )
