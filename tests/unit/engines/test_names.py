"""Which processes and images belong to an inference engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.engines import engine_of_image, role_of

_ENGINES = {"vllm", "sglang", "llamacpp", "ollama", "tensorrt-llm"}


@pytest.mark.parametrize(
    ("name", "argv", "role"),
    [
        ("VLLM::EngineCor", ("VLLM::EngineCore",), "vllm engine-core"),
        ("VLLM::EngineCor", (), "vllm engine-core"),
        ("VLLM::Worker_TP", ("VLLM::Worker_TP0",), "vllm worker"),
        ("python3", ("VLLM::Worker_TP0",), "vllm worker"),
        ("VLLM::DPCoordin", ("VLLM::DPCoordinator",), "vllm helper"),
        ("ray::RayWorkerW", ("ray::RayWorkerWrapper.execute_method",), "vllm worker"),
        ("vllm", ("/usr/bin/python3", "/usr/local/bin/vllm", "serve", "m"), "vllm api-server"),
        ("vllm", (), "vllm api-server"),
        ("python3", ("python3", "-m", "vllm.entrypoints.openai.api_server"), "vllm api-server"),
        ("python3", ("python3", "-u", "-m", "vllm.entrypoints.openai.api_server"), "vllm api-server"),
        ("python3", ("python3", "-m", "sglang.launch_server", "--model", "m"), "sglang api-server"),
        ("sglang::schedul", ("sglang::scheduler_TP0",), "sglang worker"),
        ("sglang::detoken", ("sglang::detokenizer",), "sglang helper"),
        ("llama-server", ("/opt/llama.cpp/build/bin/llama-server", "-m", "x"), "llamacpp api-server"),
        ("ggml-rpc-server", (), "llamacpp rpc-server"),
        ("rpc-server", ("./rpc-server", "-p", "50052"), "llamacpp rpc-server"),
        ("ollama", ("/usr/local/bin/ollama", "serve"), "ollama api-server"),
        ("ollama", ("/usr/local/bin/ollama", "runner", "--model", "x"), "ollama runner"),
        ("trtllm-serve", ("python3", "/usr/local/bin/trtllm-serve", "m"), "tensorrt-llm api-server"),
    ],
)
def test_inference_is_told_by_its_names(name: str, argv: tuple[str, ...], role: str) -> None:
    found = role_of(name, argv)

    assert found is not None
    assert f"{found.engine} {found.role}" == role


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("bash", ("bash", "-lc", "vllm serve m")),
        ("grep", ("grep", "llama-server")),
        ("vllm", ("python3", "/usr/bin/vllm", "bench", "serve")),
        ("python3", ("python3", "tool.py", "-m", "vllm.entrypoints.openai.api_server")),
        ("ollama", ("ollama", "run", "m")),
        ("vim", ("vim", "/etc/vllm")),
        ("", ()),
        ("python3", ("python3", "-m")),
    ],
)
def test_what_only_names_an_engine_is_none(name: str, argv: tuple[str, ...]) -> None:
    """A shell, an editor or a benchmark client is not to be moved or judged as a server."""
    assert role_of(name, argv) is None


def test_a_renamed_program_is_told_by_its_file() -> None:
    found = role_of("main", ("server", "-m", "x"), "/opt/llama.cpp/llama-server")

    assert found is not None
    assert found.engine == "llamacpp"


@pytest.mark.parametrize(
    ("image", "command", "engine"),
    [
        ("vllm/vllm-openai:nightly", (), "vllm"),
        ("registry/dspark-vllm-gx10:0.1", (), "vllm"),
        ("lmsysorg/sglang:latest", (), "sglang"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", (), "llamacpp"),
        ("ollama/ollama", (), "ollama"),
        ("local/engine", ("/app/llama-server", "-m", "x"), "llamacpp"),
        ("local/engine", ("bash", "-lc", "exec vllm serve m"), "vllm"),
        ("nginx:latest", ("nginx",), None),
    ],
)
def test_engine_of_a_container(image: str, command: tuple[str, ...], engine: str | None) -> None:
    assert engine_of_image(image, command) == engine


@given(name=st.text(max_size=16), argv=st.lists(st.text(max_size=12), max_size=5))
def test_any_name_is_taken(name: str, argv: list[str]) -> None:
    role = role_of(name, argv)

    assert role is None or (role.engine in _ENGINES and role.role)
    assert engine_of_image(name, argv) in {None, *_ENGINES}
