"""``sparktune --help`` is the first page that people read: what they came for is first, and nothing is missing."""

from typer.main import get_command

from sparktune.cli.app import app, register_commands


def test_help_lists_what_people_come_for_first_and_every_command_once() -> None:
    if not app.registered_commands:
        register_commands()
    group = get_command(app)

    listed = group.list_commands(None)  # type: ignore[attr-defined]

    assert listed[:3] == ["demo", "bench", "ab"]
    assert sorted(listed) == sorted(group.commands)  # type: ignore[attr-defined]
