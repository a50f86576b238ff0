"""The practice service: a stand-in for an engine that a script starts, what it earned, and the file that slipped back.

It is the reference server, with made-up timings and no model. What it shows is real all the same: with one prompt
computed at a time the first agent's short prompt waits for all of the other one's long prompt, with two it does not,
and the long one waits a little longer. Which value of a real engine is better on a real machine, it does not tell.
"""

__all__ = ["EXPERIMENT", "KNOB", "service_files"]

import shlex
from collections.abc import Mapping
from typing import Final

KNOB: Final = "LAB_MAX_INFLIGHT_PREFILLS"
EXPERIMENT: Final = "two-agents.yaml"

_MODEL: Final = "stand-in"

_SERVE: Final = """\
#!/bin/sh
# The practice service: a stand-in for an engine, with made-up timings and no model.
# Usage: ./serve.sh start | stop
set -eu
cd "$(dirname "$0")"
PYTHON=${PYTHON:-@PYTHON@}

running() {
    [ -s service.pid ] && grep -qs sparktune.io.reference "/proc/$(cat service.pid)/cmdline"
}

start() {
    if running; then
        echo "it runs already: pid $(cat service.pid)" >&2
        exit 1
    fi
    set -a
    . ./service.env
    set +a
    # As the scheduler of some images does: 1, 2 or 3, and anything else is 1.
    prefills=${@KNOB@:-1}
    case $prefills in
        1 | 2 | 3) ;;
        *)
            echo "@KNOB@=$prefills is not 1, 2 or 3: taking 1" >&2
            prefills=1
            ;;
    esac
    setsid "$PYTHON" -m sparktune.io.reference --port @PORT@ --engine vllm --models @MODEL@ \\
        --ttft-ms 20 --itl-ms 5 --pp-tps 4000 --prefix-cache true --prefills "$prefills" \\
        >service.log 2>&1 </dev/null &
    echo $! >service.pid
    for _ in $(seq 300); do
        if grep -qs '"port"' service.log; then
            echo "serves at http://127.0.0.1:@PORT@/v1"
            return
        fi
        running || [ ! -s service.log ] || break
        sleep 0.1
    done
    echo "it did not start:" >&2
    tail -n 1 service.log >&2
    echo "another port: sparktune lab init NEW-FOLDER --port N" >&2
    exit 1
}

stop() {
    if running; then
        pid=$(cat service.pid)
        kill "$pid"
        while kill -0 "$pid" 2>/dev/null && running; do sleep 0.1; done
    fi
    rm -f service.pid
}

case ${1:-} in
    start | stop) "$1" ;;
    *)
        echo "usage: ./serve.sh start | stop" >&2
        exit 2
        ;;
esac
"""

_VARIABLES: Final = """\
# Variables of the practice service, as its recipe ships them.
@KNOB@=1
"""

_CONFIG: Final = """\
# The practice service: sparktune bench, ab, drift and others find it here.
services:
  lab:
    endpoint: http://127.0.0.1:@PORT@/v1
    model: @MODEL@
    launcher: script
    where:
    - file: ['@FOLDER@/service.env']
      start: [./serve.sh, start]
      stop: [./serve.sh, stop]
      folder: '@FOLDER@'
workloads:
  two-agents:
    household:
      turns: 3
      opening_tokens: 128
      turn_tokens: 64
      reply_tokens: 24
      long_tokens: 2000
      long_reply_tokens: 16
    trials: 3
"""

_EXPERIMENT: Final = """\
# Is the first agent kept waiting by the other one's long prompt?
name: two agents, one server
service: lab
knob: @KNOB@
a: {env: {@KNOB@: '1'}}
b: {env: {@KNOB@: '2'}}
workload: {from: two-agents, warmup: 1}
primary: ttft_mean_s
guards: ['long_ttft_s:0.25']
max_blocks: 3
guard: {tail_s: 0}
"""

_EARNED: Final = """\
# Settings that an experiment earned: what, where it holds, and the evidence. Written by sparktune, made for review.
schema: 1
settings:
# This one was not earned: the practice cluster came with it. It has no numbers, since nobody measured anything.
- knob: @KNOB@
  value:
    env:
      @KNOB@: '2'
  instead_of:
    env:
      @KNOB@: '1'
  scope:
    cluster:
    service: lab
    image_digest:
    launcher: script
    model: @MODEL@
    workload:
  evidence:
    practice: 'made up by sparktune lab; earn it yourself: sparktune ab @EXPERIMENT@'
"""


def service_files(folder: str, python: str, port: int) -> Mapping[str, str]:
    """Return the texts of the service by their paths in ``folder``, a whole path; ``serve.sh`` is to be executable.

    ``upstream/service.env`` is what the next release of its recipe ships.
    """
    inside = folder.replace("'", "''")  # of a quoted text in YAML

    def filled(text: str) -> str:
        known = {"KNOB": KNOB, "MODEL": _MODEL, "EXPERIMENT": EXPERIMENT, "PORT": str(port), "FOLDER": inside}
        for name, value in (*known.items(), ("PYTHON", shlex.quote(python))):
            text = text.replace(f"@{name}@", value)
        return text

    return {
        "serve.sh": filled(_SERVE),
        "service.env": filled(_VARIABLES),
        "upstream/service.env": filled(_VARIABLES),
        "sparktune.yaml": filled(_CONFIG),
        EXPERIMENT: filled(_EXPERIMENT),
        "earned.yaml": filled(_EARNED),
    }
