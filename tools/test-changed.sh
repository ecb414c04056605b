#!/bin/sh
# test-changed.sh [BASE] runs the tests of the packages that are linked with a file that differs from a commit, by default the
# last one, or name it. For a file of the spine, these are the tests about its directory.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}
case " ${GOFLAGS:-} " in
*" -trimpath "*) ;;
*) export GOFLAGS="${GOFLAGS:-} -trimpath" ;;
esac
list=$("$go" run ./tools/mutants -changed "${1:-HEAD}")
if [ -z "$list" ]; then
    echo "test: no package tests what has changed"
    exit 0
fi
"$go" build -o build/progress ./tools/progress
# shellcheck disable=SC2086 # one word a package
GO=$go exec build/progress -vet=off -ldflags='-s -w' -count 1 -- $list
