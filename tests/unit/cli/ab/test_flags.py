"""Faults of an experiment that was given by flags are told in flags: nobody who typed some is taught YAML."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from sparktune.cli._ab.arguments import values_of
from sparktune.cli._ab.flags import AbFlags
from sparktune.deploy.launchers import all_launchers
from sparktune.errors import UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.request import Request
from sparktune.io.experiment_file import request_of

_GOOD = AbFlags(url="http://x:1/v1", launcher="command", a="serve --slots 1", b="serve --slots 4")
_YAML = re.compile(r"(^|[ (])(url|a|b|live|guards?|env|knob|nodes): |\{|with aa\b|under live|command: \[")


def _request(flags: AbFlags) -> Request:
    values, fault = values_of(None, flags)
    return request_of(values, 1, fault)


def test_the_help_names_every_launcher() -> None:
    """Else nobody finds the one that was added last."""
    (option,) = get_type_hints(AbFlags, include_extras=True)["launcher"].__metadata__

    assert set(re.findall(r"\w+", option.help)) >= {one.id for one in all_launchers()}


def test_flags_alone_are_an_experiment() -> None:
    found = _request(_GOOD)

    assert (found.base_url, found.launcher) == (_GOOD.url, "command")
    assert {arm: own["command"] for arm, own in found.arms.items()} == {
        Arm.A: "serve --slots 1",
        Arm.B: "serve --slots 4",
    }


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        ({"url": ""}, "--url: no server is named", "for instance --url http://"),
        ({"launcher": ""}, "--launcher: how the arms are set is not said", "one of "),
        ({"launcher": "comand"}, "--launcher: there is no launcher", "one of "),
        ({"b": ""}, "--b: arm B is not said", "say what differs with --b; or measure the noise with --aa"),
        ({"b": "serve --slots 1"}, "--b: both arms are the same", "change --a or --b; or measure the noise on purpose"),
        ({"aa": True}, "--b: the same arm is measured twice", "leave --b out with --aa"),
        ({"b": "serve --slots 4 --more 1"}, "--b: the arms differ in 2 settings", "with --knob '--"),
        ({"b": "cd x && serve"}, "write bash -c '...' or env NAME=VALUE", ""),
        ({"b": "X=1 serve"}, "write bash -c '...' or env NAME=VALUE", ""),
        ({"launcher": "attach"}, "say with --live-http PATH:KEYS=A,B how the setting is read back", ""),
        ({"guards": ("ttft_s:x",)}, "--guard: 'x' is no margin", "ttft_s:0.05"),
        ({"guards": ("tfft_s",)}, "--guard: there is no metric", "did you mean ttft_s?"),
        ({"primary": "tok"}, "--primary: there is no metric", "known here"),
        ({"max_blocks": 4}, "--max-blocks: 4 blocks are not possible", "one of 1, 2, 3, 5, 8"),
        ({"settle_s": -1.0}, "--settle: seconds from 0 on", "the usual is 60"),
        ({"launcher": "hot"}, "--a: ", "written in a file: sparktune ab FILE.yaml"),
    ],
)
def test_a_fault_is_told_in_flags(changes: dict[str, Any], said: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        _request(replace(_GOOD, **changes))

    assert said in str(caught.value)
    assert hint in caught.value.hint
    assert not _YAML.search(f"{caught.value} {caught.value.hint}"), caught.value.hint


def _service(**changes: Any) -> AbFlags:  # noqa: ANN401 - fields of the flags
    given = {
        "url": "http://x:1/v1",
        "launcher": "compose",
        "where": ("spark1:/srv/c.yaml:vllm",),
        "b": "env:N=2",
        **changes,
    }
    return AbFlags(**given)


def test_the_simplest_case_of_a_service_needs_no_file() -> None:
    values, _ = values_of(
        None,
        _service(
            a="env:N=1", b="env:N='2 3' flag:--x=8 flag:--y key:cpuset=0-3", where=["spark2:c.yaml:w", "local:c.yaml:v"]
        ),
    )

    assert values["a"] == {"env": {"N": "1"}}
    assert values["b"] == {"env": {"N": "2 3"}, "flags": {"--x": "8", "--y": True}, "keys": {"cpuset": "0-3"}}
    assert values["where"] == [
        {"node": "spark2", "file": "c.yaml", "service": "w"},
        {"node": "", "file": str(Path("c.yaml").absolute()), "service": "v"},
    ]


@pytest.mark.parametrize(
    ("changes", "where", "arm"),
    [
        ({}, {"node": "spark1", "file": "/srv/c.yaml", "service": "vllm"}, {"env": {"N": "2"}}),
        (
            {"launcher": "systemd", "where": ("n:vllm.service",)},
            {"node": "n", "unit": "vllm.service"},
            {"env": {"N": "2"}},
        ),
        (
            {"launcher": "sparkrun", "where": ("n:/r.yaml:lab",), "b": "option:a.b=2 args:'--cpuset-cpus 5-9'"},
            {"node": "n", "recipe": "/r.yaml", "cluster": "lab"},
            {"options": {"a.b": "2"}, "executor_args": "--cpuset-cpus 5-9"},
        ),
        ({"launcher": "sparkrun", "where": ("n:/r.yaml",)}, {"node": "n", "recipe": "/r.yaml"}, {"env": {"N": "2"}}),
    ],
)
def test_parts_and_settings_by_launcher(changes: dict[str, Any], where: dict[str, str], arm: dict[str, Any]) -> None:
    values, _ = values_of(None, _service(knob="several", **changes))

    assert values["where"] == [where]
    assert values["b"] == arm


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"where": ("spark1:vllm",)}, "--where 'spark1:vllm' is not NODE:FILE:SERVICE"),
        ({"where": ("a:b:c:d",)}, "--where 'a:b:c:d' is not NODE:FILE:SERVICE"),
        ({"launcher": "command", "b": "serve"}, "--where says where a service is set, and launcher command sets none"),
        ({"launcher": "composer"}, "there is no launcher 'composer'"),
        ({"b": "N=2"}, "--b: 'N=2' is no setting"),
        ({"b": "env:N"}, "--b: 'env:N' is no setting"),
        ({"b": "env:N='2"}, "--b: No closing quotation"),
        ({"b": "env:N=2 env:M=3"}, "--b: the arms differ in 2 settings"),
        ({"where": ()}, "--where: where is missing"),
        ({"b": "key:shm_size=1g"}, "keys: shm_size cannot be seen in the process itself"),
    ],
)
def test_faults_of_a_service(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        _request(_service(**changes))

    assert said in str(caught.value)


def test_a_service_that_a_script_starts_has_settings_by_name_too() -> None:
    """The command that renews evidence is made of flags: what it says of arms has to be understood."""
    values, _ = values_of(None, AbFlags(launcher="script", a="env:N=1", b="env:N=2 flag:--x"))
    assert (values["a"], values["b"]) == ({"env": {"N": "1"}}, {"env": {"N": "2"}, "flags": {"--x": True}})


def test_where_a_script_is_has_to_be_written_in_a_file() -> None:
    flags = replace(_GOOD, launcher="script", where=["local:/srv/x/serve.sh"], a="env:X=1", b="env:X=2")
    with pytest.raises(UsageError, match="no form for launcher script") as caught:
        _request(flags)
    assert "sparktune.yaml" in caught.value.hint


@pytest.mark.parametrize(
    ("launcher", "arm"),
    [("script", {"env": {"LIMIT": "2"}}), ("attach", {"text": "env:LIMIT=2"}), ("", {"command": "env:LIMIT=2"})],
    ids=["settings by name", "a service that others start", "none is said"],
)
@pytest.mark.parametrize("in_file", [False, True], ids=["by a flag", "in the experiment's file"])
def test_words_of_an_arm_are_those_of_the_services_launcher(
    launcher: str, arm: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, in_file: bool
) -> None:
    """Who has a sparktune.yaml names the service, and not again how it is started."""
    monkeypatch.chdir(tmp_path)
    said = f"    launcher: {launcher}\n" if launcher else ""
    (tmp_path / "sparktune.yaml").write_text(f"services:\n  chat:\n    endpoint: http://x:1/v1\n{said}")
    file = tmp_path / "ab.yaml"
    file.write_text("service: chat\n")

    values, _ = (
        values_of(file, AbFlags(b="env:LIMIT=2"))
        if in_file
        else values_of(None, AbFlags(service="chat", b="env:LIMIT=2"))
    )

    assert values["b"] == arm


def test_a_service_without_a_sparktune_yaml_is_told_where_it_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    values, _ = values_of(None, AbFlags(service="chat", b="serve --slots 4"))

    assert values["service"] == "chat"
