"""The largest decode step that runs from a captured graph, in tokens; larger ones are launched kernel by kernel."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="max_cudagraph_capture_size",
    title="largest captured decode step, in tokens",
    does=(
        "Decode steps of up to this many tokens run from CUDA graphs. A step has one token per sequence, and with "
        "speculative decoding 1 + draft tokens per sequence. A number given here is cut to the engine's ladder of "
        "sizes, and then to multiples of 1 + draft tokens: what counts is what the boot log says."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--max-cudagraph-capture-size", versions="newer versions"),
        Place(kind="recipe", engine="vllm", name="max_cudagraph_capture_size"),
        Place(kind="flag", engine="vllm", name="--cuda-graph-sizes", versions="older versions"),
        Place(kind="flag", engine="sglang", name="--cuda-graph-max-bs"),
    ),
    legal="a whole number of tokens from 1; unset, the engine chooses by its version's formula",
    least=1,
    takes="restart",
    measure=("decode_total_tok_s", "decode_min_tok_s", "output_tok_s"),
    raises_memory=True,
    whole=True,
    interactions=(
        Interaction(other="max_num_seqs", what="has to be covered, times (1 + draft tokens)"),
        Interaction(
            other="num_speculative_tokens",
            what="changing it changes how many sequences are covered, so that the effect of either alone is not known",
        ),
    ),
    effects=(
        Effect(
            what="25.3 to 133.3 tok/s in all, and 26.0 to 0.84 s to the first token, when 42 tokens stayed captured",
            conditions="two DGX Sparks, 6 streams, 6 draft tokens, vLLM",
            source="https://github.com/vllm-project/vllm/pull/54933",
            measured=True,
        ),
        Effect(
            what="+40 to +170 % of throughput in all with 128 in place of 8; one run each",
            conditions="two GB10 machines, DSpark image, 4 to 16 streams",
            source="a public forum article of an owner of two GB10 machines",
            measured=True,
        ),
    ),
    source="vLLM 0.21 to 0.33, config/compilation.py and v1/cudagraph_dispatcher.py",
)
