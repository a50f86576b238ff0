"""A real llama.cpp server with the flags of llama-server that tests sweep over; it serves until it is ended.

``llama_swept.py --port PORT --model FILE [--parallel N] [--batch-size N] [--ubatch-size N] [--threads N]
[--cache-type-k TYPE]``; what the engine itself does not take ends the start with the engine's own words.
"""

import argparse
import signal
import sys

import xllamacpp


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True)
    for flag, usual in (("--parallel", 1), ("--batch-size", 512), ("--ubatch-size", 512), ("--threads", 1)):
        parser.add_argument(flag, type=int, default=usual)
    parser.add_argument("--cache-type-k", default="f16")
    asked = parser.parse_args()
    params = xllamacpp.CommonParams()
    params.model.path = asked.model
    params.model_alias = {"tiny"}
    params.n_parallel = asked.parallel
    params.n_ctx = 1024 * asked.parallel
    params.n_batch = asked.batch_size
    params.n_ubatch = asked.ubatch_size
    params.cpuparams.n_threads = asked.threads
    params.cpuparams_batch.n_threads = asked.threads
    params.cache_type_k = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{asked.cache_type_k.upper()}")
    params.endpoint_metrics = True
    params.endpoint_slots = True
    params.hostnames = ["127.0.0.1"]
    params.port = asked.port
    params.ui = False
    params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"serving at {server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
