#!/bin/sh
# Checks that read the sources and run nothing of the project: gofmt, go vet, shellcheck, clang-format,
# staticcheck, apidiff, govulncheck. Called by "make test"; links and code blocks of Markdown are in test/source.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

echo "check: gofmt"
gofmt=$(command -v gofmt || echo "$("$go" env GOROOT)/bin/gofmt")
unformatted=$(git ls-files '*.go' | xargs -r "$gofmt" -l)
if [ -n "$unformatted" ]; then
    echo "check: gofmt would change: $unformatted" >&2
    exit 1
fi

echo "check: go vet"
"$go" vet ./...

echo "check: shellcheck"
git ls-files '*.sh' 'debian/*.postinst' 'debian/*.prerm' .ci/run | xargs shellcheck

echo "check: clang-format"
# One version of it: others format some lines differently.
case $(clang-format --version) in
*" 14."*)
    # Every C source but the generated ones, whose names begin with z or that lie in spine/gen.
    git ls-files '*.c' '*.h' | grep -Ev '^spine/gen/|/z[a-z_]*\.[ch]$' | xargs clang-format --dry-run -Werror
    ;;
*)
    echo "check: clang-format 14 is wanted, and here is $(clang-format --version)" >&2
    exit 1
    ;;
esac

echo "check: staticcheck"
# The programs that try out the translator compare what is always the same: that is what they are for.
"$go" list ./... | grep -v /test/goc/constructs | xargs "$go" run honnef.co/go/tools/cmd/staticcheck@v0.8.2

echo "check: apidiff"
# What other programs use of the package discover stays as it was in the last release, whose exported names are in api.
# A release writes that file again: go run $apidiff -w discover/testdata/api vkloader/discover
apidiff=golang.org/x/exp/cmd/apidiff@v0.0.0-20261014143641-f0251eb4aa3e
changed=$("$go" run "$apidiff" -incompatible discover/testdata/api vkloader/discover)
if [ -n "$changed" ]; then
    echo "check: discover breaks programs that use it:" >&2
    echo "$changed" >&2
    exit 1
fi

echo "check: govulncheck"
# Its database is on the network. Where that is out of reach nothing is known, which is said, and is no failure.
if [ -z "${HTTPS_PROXY:-}${https_proxy:-}" ] && ! getent hosts vuln.go.dev > /dev/null; then
    echo "check: govulncheck: not checked, its database is out of reach: vuln.go.dev has no address here" >&2
elif ! told=$("$go" run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./cmd/... 2>&1); then
    case $told in
    *"fetching vulnerabilities: "*)
        echo "check: govulncheck: not checked, its database is out of reach: ${told##*fetching vulnerabilities: }" >&2
        ;;
    *)
        echo "$told" >&2
        exit 1
        ;;
    esac
fi
