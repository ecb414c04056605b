#!/bin/sh
# check.sh checks the sources without running the project's code: gofmt, go vet, shellcheck, clang-format, staticcheck,
# apidiff, govulncheck. "make test" calls it. Tests in test/source check links and code blocks of Markdown. "check.sh
# fetch" only builds staticcheck, apidiff and govulncheck, below build/checkers.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}

# checker NAME PACKAGE VERSION builds a checker once for each of its versions and each version of Go, and sets $checker
# to its path. The program is static, so that it also runs in the root of tools/test-fresh.sh.
checker() {
    directory=$PWD/build/checkers/$3-$("$go" env GOVERSION)
    checker=$directory/$1
    # A checker may need a newer Go than this project. auto permits Go to fetch it.
    if [ ! -x "$checker" ] && ! GOTOOLCHAIN=auto GOBIN=$directory CGO_ENABLED=0 "$go" install "$2@$3"; then
        echo "check: $1 $3 cannot be built with $("$go" env GOVERSION); it may need a newer Go: https://go.dev/dl/" >&2
        exit 1
    fi
}
staticcheck() { checker staticcheck honnef.co/go/tools/cmd/staticcheck v0.8.2; }
apidiff() { checker apidiff golang.org/x/exp/cmd/apidiff v0.0.0-20261014143641-f0251eb4aa3e; }
govulncheck() { checker govulncheck golang.org/x/vuln/cmd/govulncheck v1.1.4; }
if [ "${1:-}" = fetch ]; then
    staticcheck
    apidiff
    govulncheck
    exit 0
fi

echo "check: gofmt"
gofmt=$(command -v gofmt || echo "$("$go" env GOROOT)/bin/gofmt")
unformatted=$(git ls-files '*.go' | xargs -r "$gofmt" -l)
if [ -n "$unformatted" ]; then
    echo "check: gofmt would change: $unformatted" >&2
    exit 1
fi

# This also reports functions of the standard library that the Go version of go.mod lacks.
echo "check: go vet"
"$go" vet ./...
# The tool's code for systems whose programs do not run on this machine.
GOOS=windows CGO_ENABLED=0 "$go" vet ./cmd/vkloader
for machine in amd64 arm64; do
    GOOS=darwin GOARCH=$machine CGO_ENABLED=0 "$go" vet ./cmd/vkloader
done

echo "check: shellcheck"
git ls-files '*.sh' 'debian/*.postinst' 'debian/*.prerm' .ci/run | xargs shellcheck

echo "check: clang-format"
# Other versions of clang-format format some lines differently.
case $(clang-format --version) in
*" 14."*)
    # All C sources except generated ones, whose names begin with z or which are in spine/gen.
    git ls-files '*.c' '*.h' | grep -Ev '^spine/gen/|/z[a-z_]*\.[ch]$' | xargs clang-format --dry-run -Werror
    ;;
*)
    echo "check: clang-format: not checked, because version 14 formats the sources, and here is $(clang-format --version)"
    ;;
esac

echo "check: staticcheck"
# The test programs of the translator compare constants on purpose.
staticcheck
"$go" list ./... | grep -v /test/goc/constructs | xargs "$checker"

echo "check: apidiff"
# The exported API of the package discover must be that of the last release, which is recorded in discover/testdata/api.
# For a release, record it again: build/checkers/VERSION/apidiff -w discover/testdata/api vkloader/discover
apidiff
changed=$("$checker" -incompatible discover/testdata/api vkloader/discover)
if [ -n "$changed" ]; then
    echo "check: discover breaks programs that use it:" >&2
    echo "$changed" >&2
    exit 1
fi

echo "check: govulncheck"
# govulncheck's database is on the network. Without access, the check is skipped, with a message that repeats the last
# result, which tools/govulncheck.txt records with its date.
unreached() {
    echo "check: govulncheck: not checked, its database is out of reach: $1; last result: $(cat tools/govulncheck.txt)" >&2
}
told="govulncheck cannot be built"
if [ -z "${HTTPS_PROXY:-}${https_proxy:-}" ] && ! getent hosts vuln.go.dev > /dev/null; then
    unreached "vuln.go.dev has no address here"
elif govulncheck && told=$("$checker" ./cmd/... 2>&1); then
    echo "$(date -u +%F), $("$go" env GOVERSION): nothing that the tool calls has a known vulnerability" > tools/govulncheck.txt
else
    case $told in
    *"fetching vulnerabilities: "*) unreached "${told##*fetching vulnerabilities: }" ;;
    *)
        echo "$told" >&2
        exit 1
        ;;
    esac
fi
