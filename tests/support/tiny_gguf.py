"""A language model of 600 KB with random weights, for tests that need a real llama.cpp server and no download.

Its text is noise. Its vocabulary falls back to single bytes, so llama.cpp holds tokens back until they are whole
characters: one streamed chunk may carry several tokens, which is what such tests are for. The bytes are the same each
time. Source: the GGUF specification of llama.cpp (ggml/docs/gguf.md), key names of architecture "llama".
"""

from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np

_WIDTH = 64
_FEED_FORWARD = 3 * _WIDTH
_LAYERS = 2
_HEADS = 4
_CONTEXT = 32_768
_SEED = 20261129
_TEMPLATE = (
    "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)

TOOLS_TEMPLATE = (
    "{% if tools %}[tools] {% for tool in tools %}{{ tool | tojson }}\n{% endfor %}{% endif %}"
    "{% for message in messages %}[{{ message.role }}] {{ message.content }}"
    "{% if message.tool_calls %}{% for call in message.tool_calls %}<tool_call>{{ call.function | tojson }}</tool_call>"
    "{% endfor %}{% endif %}\n{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
)
"""Of a model that knows tools."""

_Kind = gguf.TokenType
_Piece = tuple[str, gguf.TokenType, float]


def _vocabulary() -> list[_Piece]:
    """Control tokens, every byte, then printable characters and a few English endings; earlier pieces merge first."""
    control = [("<unk>", _Kind.UNKNOWN, 0.0), ("<s>", _Kind.CONTROL, 0.0), ("</s>", _Kind.CONTROL, 0.0)]
    raw_bytes = [(f"<0x{value:02X}>", _Kind.BYTE, 0.0) for value in range(256)]
    words = ["\u2581", *map(chr, range(0x21, 0x7F)), "th", "he", "in", "er", "an", "re", "on", "at"]
    return control + raw_bytes + [(word, _Kind.NORMAL, -float(rank)) for rank, word in enumerate(words)]


def _matrices(vocabulary_size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every weight that llama.cpp looks for, with its shape (rows, columns); one dimension is a norm."""
    yield "token_embd", (vocabulary_size, _WIDTH)
    yield "output", (vocabulary_size, _WIDTH)
    yield "output_norm", (_WIDTH,)
    for layer in range(_LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{name}", (_WIDTH, _WIDTH)
        for name in ("ffn_gate", "ffn_up"):
            yield f"blk.{layer}.{name}", (_FEED_FORWARD, _WIDTH)
        yield f"blk.{layer}.ffn_down", (_WIDTH, _FEED_FORWARD)
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{name}", (_WIDTH,)


def _describe(writer: gguf.GGUFWriter, pieces: list[_Piece], template: str) -> None:
    writer.add_name("tiny")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_feed_forward_length(_FEED_FORWARD)
    writer.add_block_count(_LAYERS)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(pieces))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([text for text, _, _ in pieces])
    writer.add_token_types([kind for _, kind, _ in pieces])
    writer.add_token_scores([score for _, _, score in pieces])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(value=True)
    writer.add_chat_template(template)


def write_tiny_model(path: Path, *, template: str = _TEMPLATE) -> Path:
    """Write the model to ``path`` and return it; ``template`` is its chat template."""
    pieces = _vocabulary()
    chance = np.random.default_rng(_SEED)
    writer = gguf.GGUFWriter(path, "llama")
    _describe(writer, pieces, template)
    for name, shape in _matrices(len(pieces)):
        weights = np.ones(shape) if len(shape) == 1 else 0.3 * chance.standard_normal(shape)
        writer.add_tensor(f"{name}.weight", weights.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
