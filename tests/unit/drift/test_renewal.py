"""The command to measure again is one that can be pasted, with nothing in it that nobody knows."""

from dataclasses import replace

import pytest

from sparktune.drift.renewal import renewal_command
from sparktune.model.earned import EarnedEntry, EarnedEvidence, EarnedScope

_ENTRY = EarnedEntry(
    knob="LAB_X",
    value={"env": {"LAB_X": "2"}},
    instead_of={"env": {"LAB_X": "1"}},
    scope=EarnedScope(service="spark", image_digest="sha256:1", launcher="compose", model="m", workload="ab12"),
    evidence=EarnedEvidence(run="e1", date="2026-10-01", metric="ttft_s", ratio=1.4, guards={"decode_tok_s": "ok"}),
)


def test_the_command_is_the_one_that_was_typed() -> None:
    typed = ("/usr/bin/sparktune", "ab", "my file.yaml", "--api-key", "***", "--accept")
    assert renewal_command(_ENTRY, typed, "/home/me") == "cd /home/me && sparktune ab 'my file.yaml' --accept"


@pytest.mark.parametrize("typed", [(), ("sparktune", "ab", "resume", "e1"), ("sparktune", "demo")])
def test_without_it_the_command_is_made_of_the_entry(typed: tuple[str, ...]) -> None:
    assert renewal_command(_ENTRY, typed, "/home/me") == (
        "sparktune ab --service spark --launcher compose --knob LAB_X --a env:LAB_X=1 "
        "--b env:LAB_X=2 --workload WORKLOAD --primary ttft_s --guard decode_tok_s"
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"command": ["serve", "--name", "a b"]}, "'serve --name '\"'\"'a b'\"'\"''"),
        ({"flags": {"--x": True, "--y": 3}, "keys": {"cpuset": "0-3"}}, "'flag:--x flag:--y=3 key:cpuset=0-3'"),
        (3, "3"),
        (None, "ARM"),
    ],
)
def test_arms_of_every_form_can_be_typed(value: object, said: str) -> None:
    assert f"--b {said} --workload" in renewal_command(replace(_ENTRY, value=value))


def test_a_service_without_a_name_has_to_be_found_again() -> None:
    """What sparktune.yaml knows of a named service, the command has to say of an address."""
    entry = replace(_ENTRY, scope=replace(_ENTRY.scope, service="http://spark1:8000/v1"))
    command = renewal_command(entry)
    assert "--url http://spark1:8000/v1 --launcher compose --where NODE:FILE:SERVICE --knob" in command
