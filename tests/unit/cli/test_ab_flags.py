"""Faults of an experiment that was given by flags are told in flags: nobody who typed some is taught YAML."""

import re
from dataclasses import replace
from typing import Any

import pytest

from sparktune.cli._ab_arguments import AbFlags, values_of
from sparktune.errors import UsageError
from sparktune.io.experiment_file import request_of

_GOOD = AbFlags(url="http://x:1/v1", launcher="command", a="serve --slots 1", b="serve --slots 4")
_YAML = re.compile(r"(^|[ (])(url|a|b|live|guards?|env|knob|nodes): |\{|with aa\b|under live|command: \[")


def _request(flags: AbFlags) -> None:
    values, fault = values_of(None, flags)
    request_of(values, 1, fault)


def test_flags_alone_are_an_experiment() -> None:
    _request(_GOOD)


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
