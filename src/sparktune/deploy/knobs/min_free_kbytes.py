"""How much memory the kernel keeps free."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="min_free_kbytes",
    title="memory that is kept free",
    does="A reserve for those who cannot wait; too much of it makes the kernel reclaim all the time.",
    places=(Place(kind="host", name="vm.min_free_kbytes"),),
    legal="kB; some GiB were used on machines of 128 GB",
    least=0,
    takes="live",
    measure=("none",),
    whole=True,
    effects=(
        Effect(
            what="one of several settings that ended kills while a checkpoint of 148 GiB was loaded",
            conditions="two DGX Sparks",
            source="https://www.tobias-weiss.org/articles/ai/dgx-spark-vllm-oom-debugging/",
            measured=True,
        ),
    ),
    source="Documentation/admin-guide/sysctl/vm.rst",
)
