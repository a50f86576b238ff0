#!/usr/bin/env bash
# Make "docker compose" (version 2) there, for the tests that need it: from this system's packages, else from a newer
# Debian's, of which only the plug-in itself is taken. As root. Ends with 0 when it is there.
set -euo pipefail

readonly PLUGINS=/usr/libexec/docker/cli-plugins

there() { docker compose version >/dev/null 2>&1; }

from_this_system() {
    apt-cache show docker-compose-v2 >/dev/null 2>&1 || return 1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker-compose-v2
}

# Lists and packages are kept apart from the system's own: it must not come to mix two releases.
from_newer_debian() {
    local mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
    # shellcheck disable=SC2016 # these are apt's own words
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 !~ /security/ {print $2; exit}')
    [ -n "$mirror" ] && [ -e "$key" ] || return 1
    local work
    work=$(mktemp -d)
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    : >"$work/status"
    echo "deb [signed-by=$key] $mirror trixie main" >"$work/sources.list"
    local options=(
        -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
        -o "Dir::Cache=$work/cache" -o "Dir::State::status=$work/status" -o APT::Sandbox::User=root
    )
    apt-get "${options[@]}" update -qq
    (cd "$work" && apt-get "${options[@]}" download -qq docker-compose && dpkg-deb -x docker-compose_*.deb root)
    install -D "$(find "$work/root" -path '*cli-plugins/docker-compose' -type f)" "$PLUGINS/docker-compose"
    rm -rf "$work"
}

there || from_this_system || from_newer_debian
there
