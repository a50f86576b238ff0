"""What a vLLM says of itself: version, weights, compiling, backends, variables that it does not know.

Source: vLLM 0.8 to 0.33: entrypoints (banner), v1/engine/core.py, gpu_model_runner.py, compilation/monitor.py, envs.py.
"""

__all__ = ["READER"]

from sparktune.logs.readers._shared import pattern_reader

_NUMBER = r"\d+(?:\.\d+)?"

READER = pattern_reader(
    "vllm",
    (
        "vLLM API server version ",
        " version ",
        "Initializing a V1 LLM engine",
        "Model loading took ",
        "torch.compile takes ",
        "init engine (profile, create kv cache",
        " attention backend",
        "AttentionBackendEnum.",
        "MoE backend",
        "MOE backend",
        "Unknown vLLM environment variable detected: ",
    ),
    (
        r"\bvLLM API server version v?(?P<version>\d[\w.+-]{0,80})",
        "[\u2580-\u259f].* version +v?(?P<version>\\d[\\w.+-]{0,80})",
        r"Initializing a V1 LLM engine \(v(?P<version>[^)\s]{1,80})\)",
        rf"Model loading took (?P<weights_gib>{_NUMBER}) (?:GiB|GB)(?: memory)? and (?P<weights_loaded_s>{_NUMBER}) s",
        r"torch\.compile takes (?P<compile_s>\d+(?:\.\d+)?) s in total",
        r"init engine \(profile, create kv cache, warmup model\) took (?P<init_s>\d+(?:\.\d+)?) s",
        r"Using (?:AttentionBackendEnum\.)?(?P<attention_backend>\w{1,60}) attention backend",
        r"Using AttentionBackendEnum\.(?P<attention_backend>\w{1,60}) backend",
        r"Using '?(?P<moe_backend>[^\s']{1,60})'? (?:\w+ )?(?:MoE|MOE) backend",
        r"Unknown vLLM environment variable detected: (?P<unknown_variable>\w{1,120})",
    ),
)
