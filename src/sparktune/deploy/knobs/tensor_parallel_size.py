"""Over how many GPUs each layer is split."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="tensor_parallel_size",
    title="GPUs that share each layer",
    does=("A GB10 has one GPU: more than one means more than one machine, and each layer waits for the cable."),
    places=(
        Place(kind="flag", engine="vllm", name="--tensor-parallel-size"),
        Place(kind="recipe", engine="vllm", name="tensor_parallel"),
        Place(kind="flag", engine="sglang", name="--tp-size"),
    ),
    legal="a whole number from 1; on GB10 not above the number of machines",
    least=1,
    takes="restart",
    measure=("decode_tok_s", "prefill_tok_s", "ttft_s"),
    whole=True,
    interactions=(Interaction(other="gpu_memory_utilization", what="each machine holds its share of the weights"),),
    effects=(
        Effect(
            what="split in layers 57 tok/s, split in each layer 36",
            conditions="two GB10 machines, 3B active",
            source="https://github.com/heitor-mocelin/dgx-spark-research",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/parallel.py",
)
