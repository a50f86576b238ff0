"""The bytes of an answer: SSE events as the engines write them, framed as HTTP chunks.

Forms after vLLM 0.33 and llama.cpp b11434; ids, texts and counts are this server's own.
"""

__all__ = ["FrameWriter", "frame"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.plan import Plan
from sparktune.io.reference.prompts import OUTPUT_WORDS, output_text
from sparktune.units import Tokens

_LAST_FRAME = b"0\r\n\r\n"
_CREATED = 1_700_000_000
_encode = msgspec.json.encode


def frame(event: bytes) -> bytes:
    """Wrap bytes as one chunk of a chunked HTTP body."""
    return b"%x\r\n%b\r\n" % (len(event), event)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameWriter:
    """Writes the answer to one request.

    ``token_ids``, ``usage`` and ``usage_always`` say what this request gets, knobs and request taken together;
    ``cached`` None leaves the cached tokens out of usage.
    """

    request_id: str
    model: str
    chat: bool
    knobs: Knobs
    plan: Plan
    prompt_tokens: Tokens
    cached: Tokens | None
    token_ids: bool
    usage: bool
    usage_always: bool

    def role(self) -> bytes:
        """Return the frame that only carries the role; empty for plain completions, which have none."""
        if not self.chat:
            return b""
        return frame(self._event(self._choice({"role": "assistant", "content": ""}, "", None), self._running(0)))

    def chunks(self) -> Iterator[tuple[bytes, Tokens]]:
        """Yield the frame and the tokens of every output chunk, in order."""
        if self._uniform:
            yield from self._ring()
            return
        done = 0
        for index, size in enumerate(self.plan.sizes):
            yield self._ping(index) + frame(self._output(index, done, size)), size
            done += size

    def tail(self) -> bytes:
        """Return what follows the last output chunk: finish reason, usage where asked, the end marks."""
        finish = self._choice({}, "", self.plan.finish_reason)
        events = [self._event(finish, self._running(self.plan.tokens))]
        if self.usage:
            events.append(self._event(None, self.usage_of(self.plan.tokens)))
        events.append(b"data: [DONE]\n\n")
        return b"".join(map(frame, events)) + _LAST_FRAME

    def error(self) -> bytes:
        """Return the frames of a failure inside the stream, as vLLM sends it."""
        body = {"message": "Internal server error", "type": "InternalServerError", "param": None, "code": 500}
        return frame(b"data: " + _encode({"error": body}) + b"\n\n") + frame(b"data: [DONE]\n\n") + _LAST_FRAME

    def whole(self) -> bytes:
        """Return the body of an answer that is not streamed."""
        text = output_text(0, self.plan.tokens)
        choice: dict[str, object] = {"index": 0, "logprobs": None, "finish_reason": self.plan.finish_reason}
        choice |= {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        body = self._head("chat.completion") | {"choices": [choice], "usage": self.usage_of(self.plan.tokens)}
        return _encode(body)

    def usage_of(self, completion_tokens: Tokens) -> dict[str, object]:
        """Return the usage object after so many output tokens."""
        total = self.prompt_tokens + completion_tokens
        usage: dict[str, object] = {"prompt_tokens": self.prompt_tokens, "total_tokens": total}
        usage["completion_tokens"] = completion_tokens
        if self.cached is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached}
        return usage

    @property
    def _uniform(self) -> bool:
        knobs = self.knobs
        special = knobs.reasoning or knobs.empty_every or knobs.ping_every or self.token_ids or self.usage_always
        return knobs.tpc == 1 and not special

    def _ring(self) -> Iterator[tuple[bytes, Tokens]]:
        # At high rates building JSON would cost more than sending it: the words repeat, and so do the chunks.
        size = len(OUTPUT_WORDS)
        ring: list[bytes] = []
        for index in range(self.plan.tokens):
            if index < size:
                ring.append(frame(self._output(index, index, 1)))
            yield ring[index % size], 1

    def _ping(self, index: int) -> bytes:
        every = self.knobs.ping_every
        return frame(b": keep-alive\n\n") if every and (index + 1) % every == 0 else b""

    def _output(self, index: int, done: Tokens, size: Tokens) -> bytes:
        every = self.knobs.empty_every
        text = "" if every and (index + 1) % every == 0 else output_text(done, size)
        key = self.knobs.reasoning_field if done < self.knobs.reasoning else "content"
        choice = self._choice({key: text}, text, None)
        if self.token_ids:
            choice["token_ids"] = [number % len(OUTPUT_WORDS) for number in range(done, done + size)]
        return self._event(choice, self._running(done + size))

    def _running(self, completion_tokens: Tokens) -> dict[str, object] | None:
        return self.usage_of(completion_tokens) if self.usage_always else None

    def _choice(self, delta: dict[str, str], text: str, finish_reason: str | None) -> dict[str, object]:
        payload: dict[str, object] = {"delta": delta} if self.chat else {"text": text}
        return {"index": 0} | payload | {"logprobs": None, "finish_reason": finish_reason}

    def _event(self, choice: dict[str, object] | None, usage: dict[str, object] | None) -> bytes:
        choices: Sequence[dict[str, object]] = [choice] if choice is not None else []
        body = self._head("chat.completion.chunk") | {"choices": choices}
        if usage is not None:
            body["usage"] = usage
        if self.knobs.pad:
            body["pad"] = "." * self.knobs.pad
        return b"data: " + _encode(body) + b"\n\n"

    def _head(self, kind: str) -> dict[str, object]:
        prefix, kind = ("chatcmpl", kind) if self.chat else ("cmpl", "text_completion")
        return {"id": f"{prefix}-{self.request_id}", "object": kind, "created": _CREATED, "model": self.model}
