"""How a context and a prompt become what is sent: a chat with a system message, or one text."""

__all__ = ["CONTEXT_REPLY_TOKENS", "SHORT_PROMPT", "conversation", "prompt_digest"]

import hashlib

from sparktune.model.options import Api
from sparktune.model.prepared import Messages
from sparktune.units import Tokens

SHORT_PROMPT = "continue"
"""The user message of a request that only loads its context."""

CONTEXT_REPLY_TOKENS: Tokens = 1
_DIGEST_CHARS = 256
_GAP = "\n\n"


def conversation(api: Api, context: str, prompt: str) -> Messages:
    """Return the messages of a request. An empty context is none; a plain text needs no prompt behind its context.

    Everything up to the context's end is the same for every prompt, so that a cached context is a prefix of it.
    """
    if api is Api.CHAT:
        system = (("system", context),) if context else ()
        return (*system, ("user", prompt))
    return (("", _GAP.join(part for part in (context, prompt) if part)),)


def prompt_digest(messages: Messages) -> str:
    """Return the SHA-256 of the first 256 characters sent: requests that share it could share a cached prefix."""
    text = "".join(content for _, content in messages)
    return hashlib.sha256(text[:_DIGEST_CHARS].encode()).hexdigest()
