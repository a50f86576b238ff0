"""A comment inside a folded command."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part
from sparktune.redact import redact_argv


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    written = part.written
    if written is None:
        return
    if written.lost and any(word.text.startswith("-") for word in written.lost):
        lost = " ".join(redact_argv(word.text for word in written.lost))
        yield Found(
            severity=Severity.ERROR,
            evidence=f"the shell takes everything behind # for a comment, and the server never gets: {lost[:160]}",
            hint="move the comment out of the command, above the key; folding makes one line of all",
            file=part.document.name,
            line=written.lost[0].line,
        )
        return
    stray = next((word for word in written.words if word.text == "#"), None)
    if stray is not None and not written.shell:
        yield Found(
            severity=Severity.ERROR,
            evidence="no shell reads this command: # and the words behind it go to the server as they are",
            hint="move the comment out of the command, above the key",
            file=part.document.name,
            line=stray.line,
        )


RULE = part_rule(
    "comment-in-command",
    title="a comment inside a folded command",
    why="A folded text is one line: a shell drops all options behind the #, and without a shell the words are "
    "arguments.",
    source="YAML 1.2, 8.1.3 (folded style); POSIX, 2.3; "
    "https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docker-compose.yml, its header",
    judge=_judge,
)
