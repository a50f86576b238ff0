"""Services of a compose file, in every form that the specification allows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.compose import services_of
from sparktune.host.facts.containers import Container
from sparktune.model.observed import absent, present, unreadable


def _one(settings: str, **variables: str) -> Container:
    (service,) = services_of(f"services:\n  engine: {{{settings}}}\n", "compose.yaml", variables)
    return service


@pytest.mark.parametrize(
    ("settings", "field", "value"),
    [
        ("image: vllm/vllm-openai", "engine", "vllm"),
        ("image: x, devices: ['/dev/infiniband:/dev/infiniband']", "devices", ("/dev/infiniband",)),
        ("image: x, devices: [{source: /dev/infiniband, target: /dev/infiniband}]", "devices", ("/dev/infiniband",)),
        (
            "image: x, volumes: ['/dev/infiniband:/dev/infiniband:ro', 'named:/data']",
            "mounts",
            ("/dev/infiniband", "named"),
        ),
        ("image: x, ulimits: {memlock: -1}", "unlimited_memlock", True),
        ("image: x, ulimits: {memlock: {soft: -1, hard: -1}}", "unlimited_memlock", True),
        ("image: x, ulimits: {memlock: 8388608}", "memlock_bytes", present(8388608)),
        (
            "image: x, ulimits: {memlock: much}",
            "memlock_bytes",
            unreadable("invalid literal for int() with base 10: 'much'"),
        ),
        ("image: x, ulimit: {memlock: -1}", "unlimited_memlock", False),
        ("image: x", "memlock_bytes", absent()),
        ("image: x, cap_add: [IPC_LOCK, CAP_SYS_NICE]", "capabilities", ("IPC_LOCK", "SYS_NICE")),
        ("image: x, cpuset: '5-9,15-19'", "cpuset", "5-9,15-19"),
        ("image: x, cgroup_parent: inference.slice", "cgroup_parent", "inference.slice"),
        ("image: !override vllm/x", "engine", "vllm"),
        ("image: x, cpuset: !override '5'", "cpuset", "5"),
        ("image: x, cpuset: !reset '5'", "cpuset", ""),
        ("image: x, command: !override [vllm]", "command", ("vllm",)),
        ("image: x, ulimits: !override {memlock: -1}", "unlimited_memlock", True),
        ("image: x, privileged: true", "privileged", True),
        ("image: x, network_mode: host", "network_mode", "host"),
        ("image: x, user: 1000", "user", "1000"),
        ("image: x, restart: always", "restart_policy", "always"),
        ("image: x, command: 'vllm serve m --api-key secret'", "command", ("vllm", "serve", "m", "--api-key", "***")),
        ("image: x, command: [vllm, serve, 'a b']", "command", ("vllm", "serve", "a b")),
        ('image: x, command: "it\'s open"', "command", ("it's", "open")),
        ("image: x", "complete", True),
        ("build: .", "complete", True),
        ("environment: {A: b}", "complete", False),
        ("image: x, extends: base", "complete", False),
    ],
)
def test_a_setting_is_read(settings: str, field: str, value: Any) -> None:  # noqa: ANN401 - of any field
    assert getattr(_one(settings), field) == value


@pytest.mark.parametrize(
    ("written", "variables", "value"),
    [
        ("3", {}, "3"),
        ("${INDEX}", {"INDEX": "3"}, "3"),
        ("$INDEX", {"INDEX": "3"}, "3"),
        ("${INDEX}", {}, ""),
        ("${INDEX:-5}", {}, "5"),
        ("${INDEX:-5}", {"INDEX": ""}, "5"),
        ("${INDEX-5}", {"INDEX": ""}, ""),
        ("${INDEX-5}", {}, "5"),
        ("${INDEX:+on}", {"INDEX": "3"}, "on"),
        ("${INDEX:+on}", {}, ""),
        ("${INDEX:?needed}", {}, ""),
        ("$$INDEX", {"INDEX": "3"}, "$INDEX"),
    ],
)
def test_variables_are_filled_in(written: str, variables: dict[str, str], value: str) -> None:
    """An empty NCCL_IB_GID_INDEX is index 0, not unset: what compose makes of a line decides."""
    service = _one(f"image: x, environment: {{NCCL_IB_GID_INDEX: '{written}'}}", **variables)

    assert service.environment == {"NCCL_IB_GID_INDEX": value}


@pytest.mark.parametrize(
    ("environment", "kept"),
    [
        ("[NCCL_DEBUG=INFO, NCCL_IB_HCA, HF_TOKEN=x]", {"NCCL_DEBUG": "INFO", "NCCL_IB_HCA": "from outside"}),
        ("{NCCL_IB_HCA: , NCCL_DEBUG: }", {"NCCL_IB_HCA": "from outside"}),
        ("{NCCL_IB_DISABLE: 0}", {"NCCL_IB_DISABLE": "0"}),
        ("3", {}),
    ],
)
def test_both_forms_of_an_environment(environment: str, kept: dict[str, str]) -> None:
    """A name without value takes that of the caller, and stays unset when he has none."""
    service = _one(f"image: x, environment: {environment}", NCCL_IB_HCA="from outside")

    assert service.environment == kept


@pytest.mark.parametrize("text", ["", "[1, 2]", "services: 3", "services: {}", "services: [a", "&a [*a]", "a: b: c"])
def test_what_is_no_compose_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not readable as YAML|no services"):
        services_of(text, "compose.yaml", {})


def test_a_broken_file_is_not_quoted() -> None:
    """A line of a compose file may hold a key; a message with it ends in reports."""
    with pytest.raises(ValueError, match="line 4") as refused:
        services_of("services:\n  a:\n    environment: [HF_TOKEN: hf_secret\n", "compose.yaml", {})

    assert "hf_secret" not in str(refused.value)


def test_a_service_that_is_no_mapping_is_left_out() -> None:
    assert services_of("services: {engine: 3}", "compose.yaml", {}) == ()


@given(text=st.text() | st.text(alphabet="services: {}[]-&*!|>'\"\n ", max_size=80).map("services:".__add__))
def test_any_text_is_an_answer_or_a_refusal(text: str) -> None:
    try:
        found = services_of(text, "compose.yaml", {})
    except ValueError:
        return
    assert isinstance(found, tuple)
