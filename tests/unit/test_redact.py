"""No secret may reach the store, a report or a log; what is no secret must stay, or drift and repeats are hidden."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.redact import MASK, redact_argv, redact_text, redact_value

_SECRET = "s3cr3t-Value_" + "0123456789"

_HIDDEN = [
    (("bench", "--api-key", _SECRET, "--pp", "512"), ("bench", "--api-key", MASK, "--pp", "512")),
    ((f"--api-key={_SECRET}",), (f"--api-key={MASK}",)),
    ((f"--api_key={_SECRET}",), (f"--api_key={MASK}",)),
    (("app", "--hf-token", _SECRET), ("app", "--hf-token", MASK)),
    (("app", "--db-password", _SECRET), ("app", "--db-password", MASK)),
    (("curl", "-H", f"X-Auth: {_SECRET}"), ("curl", "-H", MASK)),
    (("curl", "-H", f"Authorization: Bearer {_SECRET}"), ("curl", "-H", MASK)),
    ((f"Authorization: Bearer {_SECRET}",), (f"Authorization: Bearer {MASK}",)),
    ((f"OPENAI_API_KEY={_SECRET}", "sparktune"), (f"OPENAI_API_KEY={MASK}", "sparktune")),
    (
        ("sh", "-c", f"export HF_TOKEN={_SECRET}; exec vllm serve m"),
        ("sh", "-c", f"export HF_TOKEN={MASK}; exec vllm serve m"),
    ),
    (("sh", "-c", f"vllm serve m --api-key {_SECRET}"), ("sh", "-c", f"vllm serve m --api-key {MASK}")),
    (("sh", "-c", f"vllm serve m --api-key '{_SECRET}' -x"), ("sh", "-c", f"vllm serve m --api-key {MASK} -x")),
    ((f"http://me:{_SECRET}@spark:8000/v1",), (f"http://{MASK}@spark:8000/v1",)),
    ((f"--base-url=https://{_SECRET}@spark/v1",), (f"--base-url=https://{MASK}@spark/v1",)),
    ((f"http://spark/v1?api_key={_SECRET}&x=1",), (f"http://spark/v1?api_key={MASK}&x=1",)),
    ((f"--base-url=http://spark/v1?api_key={_SECRET}",), (f"--base-url=http://spark/v1?api_key={MASK}",)),
    ((f'--extra-body={{"api_key": "{_SECRET}", "top_k": 5}}',), (f'--extra-body={{"api_key": "{MASK}", "top_k": 5}}',)),
    (("--extra-body", f'api_key="{_SECRET}",top_k=5'), ("--extra-body", f"api_key={MASK},top_k=5")),
    (("sh", "-c", f'sh -c "login --token {_SECRET}"'), ("sh", "-c", f'sh -c "login --token {MASK}"')),
    ((f"m --shm --hf-token {_SECRET}",), (f"m --shm --hf-token {MASK}",)),
    ((f"curl -s -u me:{_SECRET} http://spark",), (f"curl -s -u me:{MASK} http://spark",)),
    ((f"me:{_SECRET}@registry/image:1",), (f"me:{MASK}@registry/image:1",)),
    ((f"my.token={_SECRET}",), (f"my.token={MASK}",)),
    ((f"SLACK_WEBHOOK=https://h/{_SECRET}",), (f"SLACK_WEBHOOK={MASK}",)),
    (("serve", "--api-key", _SECRET, _SECRET, "--port", "1"), ("serve", "--api-key", MASK, MASK, "--port", "1")),
    ((f"'api_key': ['{_SECRET}', 'b'], 'port': 1",), (f"'api_key': \"{MASK}\", 'port': 1",)),
    ((f"api_key = ['{_SECRET}', 'b'] port=1",), (f"api_key = {MASK} port=1",)),
    ((f"""'extra': '{{"api_key": "{_SECRET}", "n": 1}}'""",), (f"""'extra': '{{"api_key": "{MASK}", "n": 1}}'""",)),
    ((rf'"a": "{{\"api_key\": \"{_SECRET}\"}}"',), (rf'"a": "{{\"api_key\": "{MASK}"}}"',)),
    ((f'"api_key": "{_SECRET}',), (f'"api_key": "{MASK}"',)),
    ((f'"env": [{{"api_key": "{_SECRET}"}}]',), (f'"env": [{{"api_key": "{MASK}"}}]',)),
    ((f"sk-{_SECRET}",), (MASK,)),
    ((f"hf_{_SECRET}",), (MASK,)),
]

_HARMLESS = [
    ("bench", "http://127.0.0.1:8000/v1", "--pp", "512", "--tg", "128", "--save", "key.json"),
    ("--api-key-file", "/home/me/key.txt"),
    ("--api-key-file=/home/me/key.txt",),
    ("--max-tokens=5", "--extra-body", "min_tokens=5,return_token_ids=true"),
    ("--model", "org/mask-tokenizer-bearer", "mailto:someone@example.org"),
    ("vllm", "serve", "org/model", "--max-num-batched-tokens", "8192", "--tokenizer-mode=auto"),
    ("docker", "run", "--user", "1000:1000", "vllm/vllm-openai:v0.21.0@sha256:0123456789abcdef"),
    ("llama-server", "-m", "/models/key-value.gguf", "-ngl", "99"),
    ("ggml-rpc-server", "-H", "127.0.0.1", "-p", "50052"),
    ("app", "--api-key", "--port", "80"),
    (),
]


@pytest.mark.parametrize(("argv", "expected"), _HIDDEN)
def test_secrets_are_hidden(argv: tuple[str, ...], expected: tuple[str, ...]) -> None:
    actual = redact_argv(argv)

    assert actual == expected
    assert _SECRET not in " ".join(actual)


@pytest.mark.parametrize("argv", _HARMLESS)
def test_other_arguments_stay(argv: tuple[str, ...]) -> None:
    """A recorded command that cannot be repeated is half a record, and a hidden setting hides drift."""
    assert redact_argv(argv) == argv


@given(st.lists(st.text()))
def test_hidden_once_is_hidden(argv: list[str]) -> None:
    """Redacting runs on the way into the store again; that must not change what was already clean."""
    once = redact_argv(argv)

    assert redact_argv(once) == once
    assert len(once) == len(argv)


@given(st.from_regex(r"[A-Za-z0-9_]{20,40}", fullmatch=True), st.sampled_from(["HF_TOKEN=", "Bearer ", "http://a:"]))
def test_a_value_never_survives(value: str, before: str) -> None:
    assert value not in redact_text(f"{before}{value}@host said no")


def test_undecodable_bytes_can_be_stored() -> None:
    assert redact_argv(("caf\udce9",)) == ("caf\\udce9",)


def test_a_secret_value_is_hidden_whole() -> None:
    """A value with blanks, quotes or line ends is still one value; only the first word of it was hidden once."""
    assert redact_value("DB_PASSWORD", 'two words "and\nmore') == MASK
    assert redact_value("HF_TOKEN", "-starts-like-an-option") == MASK
    assert redact_value("HF_HOME", "/data") == "/data"
    assert redact_value("HF_TOKEN", "") == ""


def test_values_in_values_end() -> None:
    """A value deep in others was looked at by one call inside the other: Python gave up, or it took minutes."""
    assert redact_text("${A:-" * 20_000 + "HF_TOKEN=abc") == "${A:-" * 20_000 + f"HF_TOKEN={MASK}"
