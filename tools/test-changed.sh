#!/bin/sh
# test-changed.sh [BASE] runs the tests that execute the lines that differ from a commit, by default the last one. The
# atlas of "make mutants" (build/mutants) lists these tests. Without an atlas, and for files without lines of code, it
# runs the tests of the packages that are linked with a changed file or name it. It first prints the package and the names
# of the tests.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}
case " ${GOFLAGS:-} " in
*" -trimpath "*) ;;
*) export GOFLAGS="${GOFLAGS:-} -trimpath" ;;
esac
[ -e build/mutants/atlas.json ] ||
    echo "test: no atlas of lines in build/mutants; whole packages run in place of single tests" >&2
list=$("$go" run ./tools/mutants -changed "${1:-HEAD}")
if [ -z "$list" ]; then
    echo "test: no test executes what has changed"
    exit 0
fi
"$go" build -o build/progress ./tools/progress
failed=0
while read -r package expression; do
    echo "test: $package, -run '$expression'" >&2
    GO=$go build/progress -vet=off -ldflags='-s -w' -count 1 -run "$expression" -- "./$package" < /dev/null || failed=1
done << END
$list
END
exit $failed
