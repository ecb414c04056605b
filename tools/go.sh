#!/bin/sh
# go.sh GO checks that a program is a Go of the version in go.mod or a newer one. Otherwise it says where to get one.
# The Makefile runs it before anything else. Go 1.21 and newer fetch the version of go.mod by themselves.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
wanted=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
if ! command -v "$1" > /dev/null; then
    found="there is no program $1"
else
    said=$("$1" env GOVERSION 2>&1) || : # judged by its output
    version=$(echo "$said" | sed -n 's/^go\([0-9][0-9.]*\).*/\1/p')
    # A version that Go's developers compile has no number.
    case $said in devel*) version=$wanted ;; esac
    if [ "$(printf '%s\n' "$wanted" "$version" | sort -V | head -n 1)" = "$wanted" ]; then exit 0; fi
    found="$(command -v "$1") is Go $version"
    [ -n "$version" ] || found="$1 env GOVERSION says: $said"
fi
{
    echo "make: building vkloader needs Go $wanted or newer; $found."
    echo "    Debian 13 and newer: apt install golang-go"
    echo "    other systems: https://go.dev/dl/"
    echo "    If it is not in PATH: make GO=/usr/local/go/bin/go"
} >&2
exit 1
