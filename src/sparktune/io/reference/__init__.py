"""The reference server: an OpenAI-compatible server with known timings that logs when it wrote every chunk.

It is ground truth for ``sparktune calibrate``, for the tests and for ``benchmarks/client.py``. It shares no code with
the load client on purpose: what measures and what is measured must not have the same mistake.
"""
