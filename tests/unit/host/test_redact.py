"""Secrets of command lines and environments are never kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.redact import HIDDEN, kept_environment, redact_argv, redact_text

_SECRET = "q7Zs9Xw2Lm"  # noqa: S105 - a word that no rule knows by its form


@pytest.mark.parametrize(
    "argv",
    [
        ("vllm", "serve", "--api-key", _SECRET),
        ("vllm", "serve", f"--api-key={_SECRET}"),
        ("vllm", "serve", f"--api_key={_SECRET}"),
        ("app", "--hf-token", _SECRET),
        ("app", "--password", _SECRET),
        ("app", "--db-password", _SECRET),
        ("curl", "-H", f"Authorization: Bearer {_SECRET}"),
        ("sh", "-c", f"export HF_TOKEN={_SECRET}; exec vllm serve m"),
        ("sh", "-c", f"vllm serve m --api-key {_SECRET}"),
        ("sh", "-c", f"vllm serve m --api-key '{_SECRET}'"),
        ("app", f"https://user:{_SECRET}@host/path"),
        ("app", f"hf_{_SECRET}"),
        ("app", f"sk-{_SECRET}"),
    ],
)
def test_a_secret_is_hidden(argv: tuple[str, ...]) -> None:
    kept = redact_argv(argv)

    assert _SECRET not in " ".join(kept)
    assert HIDDEN in " ".join(kept)


@pytest.mark.parametrize(
    "argv",
    [
        ("vllm", "serve", "org/model", "--max-num-batched-tokens", "8192"),
        ("vllm", "serve", "m", "--tokenizer", "org/tok", "--tokenizer-mode=auto"),
        ("vllm", "serve", "m", "--max-tokens=128"),
        ("vllm", "serve", "m", "--kv-cache-dtype", "fp8", "--port", "8000"),
        ("llama-server", "-m", "/models/key-value.gguf", "-ngl", "99"),
        ("sh", "-c", "exec vllm serve m --served-model-name a"),
    ],
)
def test_what_is_no_secret_stays_whole(argv: tuple[str, ...]) -> None:
    """A drift report that hides settings hides drift."""
    assert redact_argv(argv) == argv


def test_a_flag_after_a_secret_flag_is_no_value() -> None:
    assert redact_argv(("app", "--api-key", "--port", "80")) == ("app", "--api-key", "--port", "80")


def test_only_known_variables_are_kept() -> None:
    environment = {"NCCL_IB_HCA": "rocep1s0f0", "HF_TOKEN": _SECRET, "PATH": "/bin", "UCX_TLS": "rc", "HOME": "/root"}

    assert kept_environment(environment) == {"NCCL_IB_HCA": "rocep1s0f0", "UCX_TLS": "rc"}


@given(text=st.text())
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(redact_text(text), str)
    assert len(redact_argv(text.split(" "))) == len(text.split(" "))
