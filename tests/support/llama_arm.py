"""A real llama.cpp server as an arm's command: ``llama_arm.py PORT MODEL SLOTS``; it serves until it is ended."""

import signal
import sys

import xllamacpp


def main() -> None:
    """Serve."""
    port, model, slots = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"tiny"}
    params.n_parallel = int(slots)
    params.n_ctx = 2048 * int(slots)
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.endpoint_metrics = True
    params.endpoint_slots = True
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    params.ui = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"serving at {server.listening_address}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
