"""The stopwatch: send requests, stamp what arrives, understand nothing."""

__all__ = [
    "Limits",
    "LoadClient",
    "OnRequest",
    "Progress",
    "Target",
    "WaveRecording",
    "post_bytes",
]

from sparktune.io.load.client import LoadClient, Progress
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wave import OnRequest, WaveRecording
from sparktune.io.load.wire import post_bytes
