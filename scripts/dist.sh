#!/usr/bin/env bash
# Build the source archive and the wheel, the same bytes each time: the wheel is made of the archive, and every file has
# the time of the last commit. Needs no network. VENV has hatchling; DIST is the folder (default dist), made anew.
set -euo pipefail
cd "$(dirname "$0")/.."

dist="$(realpath -m "${DIST:-dist}")"
python="$(realpath -s "${VENV:-.venv}/bin/python")"
git=(git -c "safe.directory=$PWD")

# An archive of a release has no history; its files have one time all the same.
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$("${git[@]}" log -1 --format=%ct 2>/dev/null || echo 1577836800)}"
export SOURCE_DATE_EPOCH
export PYTHONDONTWRITEBYTECODE=1

untracked="$("${git[@]}" ls-files --others --exclude-standard -- src 2>/dev/null || true)"
if [ -n "$untracked" ]; then
    printf 'warning: these files are not tracked, and go into the release all the same:\n%s\n' "$untracked" >&2
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$python" -m hatchling build -t sdist -d "$work/out" >/dev/null
tar -xzf "$work"/out/*.tar.gz -C "$work"
(cd "$work"/sparktune-*/ && "$python" -m hatchling build -t wheel -d "$work/out" >/dev/null)

rm -rf "$dist"
mkdir -p "$dist"
cp "$work"/out/* "$dist/"
echo "in $dist:" >&2
(cd "$dist" && sha256sum -- *)
