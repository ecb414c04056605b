#!/bin/sh
# Checks that read the sources and run nothing of the project: staticcheck, govulncheck, shellcheck, clang-format.
# Called by "make test"; go vet and gofmt are there already, and links and code blocks of Markdown are in test/source.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

echo "check: shellcheck"
git ls-files '*.sh' 'debian/*.postinst' 'debian/*.prerm' .ci/run | xargs shellcheck

echo "check: clang-format"
# One version of it: others format some lines differently.
case $(clang-format --version) in
*" 14."*)
    # Every C source but the generated ones, whose names begin with z or that lie in spine/gen.
    git ls-files '*.c' '*.h' | grep -Ev '^spine/(windows/)?gen/|/z[a-z_]*\.[ch]$' | xargs clang-format --dry-run -Werror
    ;;
*)
    echo "check: clang-format 14 is wanted, and here is $(clang-format --version)" >&2
    exit 1
    ;;
esac

echo "check: staticcheck"
# The programs that try out the translator compare what is always the same: that is what they are for.
"$go" list ./... | grep -v /test/goc/constructs | xargs "$go" run honnef.co/go/tools/cmd/staticcheck@v0.8.2

echo "check: govulncheck"
# Its database is on the network. Where that is out of reach nothing is known, which is said, and is no failure.
if ! told=$("$go" run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./cmd/... 2>&1); then
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
