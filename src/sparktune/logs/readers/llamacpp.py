"""What a llama.cpp server says: slots, layers, memory, speed and drafts of each request, when it is ready.

Source: llama.cpp b11434 and b11669, server-context.cpp, llama-context.cpp, llama-kv-cache.cpp, llama-model.cpp.
"""

__all__ = ["READER"]

import re
from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine

_NUMBER = r"\d+(?:\.\d+)?"
_DRAFTS = re.compile(r"draft acceptance(?: rate)? = +(?P<rate>\d\.\d+|nan)", re.ASCII)
_READY = re.compile(r"llama_server: listening on http|server is listening on http|HTTP server is listening")


def _more(line: LogLine) -> Iterator[LogFact]:
    if _READY.search(line.text):
        yield fact("ready", True, line)
    drafts = _DRAFTS.search(line.text)
    if drafts is not None:
        rate = drafts["rate"]
        yield fact("spec_rate", None if rate == "nan" else round(float(rate) * 100, 3), line)


READER = pattern_reader(
    "llamacpp",
    (
        "initializing, n_slots = ",
        "offloaded ",
        "llama_kv_cache: size = ",
        " model buffer size = ",
        "flash_attn ",
        " eval time = ",
        "draft acceptance",
        "listening on http",
        "server is listening",
        "build_info: ",
        "build: ",
    ),
    (
        r"\bbuild_info: (?P<version>b\d[\w-]{0,40})",
        r"^build: (?P<version>\d{1,7}) \(",
        r"initializing, n_slots = (?P<slots>\d{1,6}), n_ctx_slot = (?P<slot_length_tokens>\d{1,9})",
        r"\boffloaded (?P<offloaded_layers>\d{1,5})/(?P<model_layers>\d{1,5}) layers to GPU",
        rf"llama_kv_cache: size = +(?P<kv_memory_mib>{_NUMBER}) MiB \( *(?P<kv_cells>\d+) cells",
        rf"\S+ +model buffer size = +(?P<weights_mib>{_NUMBER}) MiB",
        r"\bllama_context: flash_attn += (?P<flash_attention>\w{1,20})",
        rf"(?<!prompt )\beval time = .*, +(?P<stats_request_tok_s>{_NUMBER}) tokens per second\)",
        r"draft acceptance.*\( *(?P<spec_accepted>\d+) accepted / +(?P<spec_drafted>\d+) generated\)",
        rf"draft acceptance.*mean len = +(?P<spec_length>{_NUMBER})",
    ),
    (_more,),
)
