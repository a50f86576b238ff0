"""How many tokens one step computes, prompts and answers together."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="max_num_batched_tokens",
    title="tokens of one step",
    does=(
        "A step takes at most this many tokens: those of running answers, and a piece of the prompts that wait. "
        "Larger pieces prefill faster, make each step longer for those who are reading, and leave less memory for "
        "the KV pool."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--max-num-batched-tokens"),
        Place(kind="recipe", engine="vllm", name="max_num_batched_tokens"),
        Place(kind="flag", engine="sglang", name="--chunked-prefill-size"),
        Place(kind="flag", engine="llamacpp", name="--batch-size"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_BATCH"),
    ),
    legal=(
        "a whole number from 1, usually not below max_num_seqs; some hybrid models ask for a least one of their own"
    ),
    least=1,
    takes="restart",
    measure=("prefill_tok_s", "ttft_s", "decode_during_tok_s"),
    raises_memory=True,
    whole=True,
    interactions=(
        Interaction(other="max_model_len", what="with 4096 in place of more, what is left for the KV pool is larger"),
        Interaction(other="ubatch_size", what="llama.cpp computes each of them in pieces of that size"),
        Interaction(other="long_prefill_token_threshold", what="that caps one request's share of a step"),
    ),
    effects=(
        Effect(
            what="chunks of 4096 were 16 % slower than of 8192 with 8 streams",
            conditions="SGLang on GB10",
            source="https://github.com/sgl-project/sglang/issues/35860",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/scheduler.py; SGLang server arguments; llama.cpp server README",
)
