#!/bin/sh
# packages.sh FOR PACKAGE... installs the Debian packages that are missing for "make FOR", or prints how to install
# them. Without dpkg, it installs nothing, and the programs in PROGRAMS must exist.
set -eu
for=$1
shift
packages=$*

missing=
if command -v dpkg-query > /dev/null; then
    for p in $packages; do
        state=$(dpkg-query -W -f '${Status}' "$p" 2> /dev/null || :) # an unknown package has no state
        case $state in
        "install ok installed") ;;
        *) # pkg-config and others may be provided by a package of another name
            case $p in
            pkg-config | cmake | npm) command -v "$p" > /dev/null || missing="$missing $p" ;;
            *) missing="$missing $p" ;;
            esac
            ;;
        esac
    done
else
    for p in ${PROGRAMS:-}; do
        command -v "$p" > /dev/null || missing="$missing $p"
    done
    if [ -n "$missing" ]; then
        echo "$for: this is no Debian, so nothing is installed here; these programs are missing:$missing" >&2
        exit 1
    fi
fi
if [ -n "$missing" ]; then
    as=
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2> /dev/null; then
            as="sudo -n"
        else
            echo "$for: these packages are missing:$missing" >&2
            echo "$for: installing them needs root; run this, then again make $for:" >&2
            echo "    sudo apt-get install --no-install-recommends$missing" >&2
            exit 1
        fi
    fi
    echo "$for: installing these Debian packages:$missing"
    log=$(mktemp)
    # shellcheck disable=SC2086
    if ! { $as apt-get update && $as env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-remove \
        --no-install-recommends \
        $missing; } > "$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "$for: the packages could not be installed:$missing" >&2
        exit 1
    fi
    rm -f "$log"
fi
