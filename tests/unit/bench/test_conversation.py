"""What is sent for a context and a prompt: the context comes first, so that a cache can hold it."""

import pytest

from sparktune.bench.conversation import conversation, prompt_digest
from sparktune.model.options import Api


@pytest.mark.parametrize(
    ("api", "context", "prompt", "messages"),
    [
        (Api.CHAT, "", "p", (("user", "p"),)),
        (Api.CHAT, "c", "p", (("system", "c"), ("user", "p"))),
        (Api.COMPLETIONS, "", "p", (("", "p"),)),
        (Api.COMPLETIONS, "c", "p", (("", "c\n\np"),)),
        (Api.COMPLETIONS, "c", "", (("", "c"),)),
    ],
)
def test_the_context_comes_first(api: Api, context: str, prompt: str, messages: tuple[tuple[str, str], ...]) -> None:
    assert conversation(api, context, prompt) == messages


def test_requests_that_could_share_a_cache_have_one_digest() -> None:
    """A prefix cache works from the beginning on: what differs later does not keep it from being hit."""
    long = "x" * 300
    assert prompt_digest((("user", long + "a"),)) == prompt_digest((("user", long + "b"),))
    assert prompt_digest((("user", "a" + long),)) != prompt_digest((("user", "b" + long),))
