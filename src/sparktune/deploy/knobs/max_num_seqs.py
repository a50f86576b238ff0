"""How many requests are computed at once; the rest waits."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="max_num_seqs",
    title="requests computed at once",
    does="The scheduler runs at most this many sequences in one step; further requests wait in its queue.",
    places=(
        Place(kind="flag", engine="vllm", name="--max-num-seqs"),
        Place(kind="recipe", engine="vllm", name="max_num_seqs"),
        Place(kind="flag", engine="sglang", name="--max-running-requests"),
        Place(kind="flag", engine="llamacpp", name="--parallel"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_N_PARALLEL"),
    ),
    legal="a whole number from 1; vLLM's default depends on version and hardware (256 on GB10 in 0.33)",
    least=1,
    takes="restart",
    measure=("output_tok_s", "ttft_max_s", "decode_min_tok_s"),
    raises_memory=True,
    whole=True,
    interactions=(
        Interaction(
            other="max_cudagraph_capture_size",
            what="the captured tokens have to cover this many sequences times (1 + draft tokens)",
        ),
        Interaction(other="num_speculative_tokens", what="each sequence takes 1 + that many tokens of a step"),
        Interaction(other="max_model_len", what="all of them at full length need that much of the KV pool"),
    ),
    effects=(
        Effect(
            what="with 1, the second caller's first token came after the whole answer of the first",
            conditions="one DGX Spark, two clients",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-One-DGX-Spark/issues/7",
            measured=False,
        ),
    ),
    source="vLLM 0.33 SchedulerConfig; llama.cpp server README (--parallel); SGLang server arguments",
)
