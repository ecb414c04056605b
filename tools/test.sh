#!/bin/sh
# "make test": installs the Debian packages that the tests need when they are missing and it may, builds, and runs
# every check and test. "test.sh tests" runs the tests in Go alone, once.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

only=${1:-}

# The real programs, drivers and layers that the tests use, and where they come from. The 32-bit compiler does not go with
# Debian's cross compilers; where one of these is installed, the 32-bit library is left out.
list() { grep -v '^#' tools/test-packages.txt | awk "NF == 2 && \$2 != \"-\" { print \$$1 }" | sort -u; }
packages=$(list 2)
crossed=$(find /usr/bin -name "*-linux-gnu*-gcc-[0-9]*" ! -name "$(gcc -dumpmachine)-*")
if [ "$(uname -m)" = x86_64 ] && [ -z "$crossed" ] && ! printf 'int main(void) { return 0; }\n' | gcc -m32 -x c -o /dev/null - 2> /dev/null; then
    packages="$packages gcc-multilib"
fi
# shellcheck disable=SC2086
PROGRAMS=$(list 1 | grep -v /) tools/packages.sh test $packages

# Where the kernel runs no programs of i386, an emulator does, which is unpacked below build/emulators.
narrow=
if printf '#include <stdio.h>\nint main(void) { return 0; }\n' | gcc -m32 -x c -o /dev/null - 2> /dev/null; then
    narrow=yes
    emulator=$(tools/emulator.sh i386 fetch)
    if [ -n "$emulator" ]; then echo "test: this machine's kernel runs no programs of i386; they run below $emulator"; fi
fi

echo "test: left to others, which fetch what they need: make test TARGET=i386, arm64, musl or windows; make test-packages; make test-service"
# Compilers, checks and tests in Go are done a fifth sooner when they may take more memory before they collect it.
export GOGC=300
# Paths of this checkout stay out of what is compiled, so that another checkout uses the same build cache.
export GOFLAGS="${GOFLAGS:-} -trimpath"
make -s -j"$(nproc)" all asan tsan

# by_go: the tests in Go, but for the driver service's. They are vetted by the checks, and linked without what only a
# debugger reads: some seventy programs.
others=/internal/containers/
by_go() {
    echo "test: go test"
    # shellcheck disable=SC2046
    "$go" test -vet=off -ldflags='-s -w' -count 1 -p 3 -parallel 4 -timeout 25m "$@" $("$go" list ./... | grep -vE "$others")
}
# Run on top of a whole run, it leaves out what builds the library again for other machines, and the packages that only
# translate, compile and count: these take minutes, and who runs them makes no difference.
if [ "$only" = tests ]; then
    others="$others|/test/(goc|equal|scale)\$"
    by_go -skip '^TestPortableNeedsAnOldLibrary$'
    exit 0
fi

# What only reads the sources goes on beside the tests, whose programs wait for each other now and then.
echo "test: the checks of the sources go on beside the tests; what they say comes at the end"
mkdir -p build
setsid nice -n 10 tools/check.sh > build/check.log 2>&1 &
checks=$!
trap 'kill -- -$checks 2> /dev/null || :' EXIT

by_go
# The 32-bit library, where there is a compiler for it: a program draws through a layer, and a whole life.
if [ -n "$narrow" ]; then
    echo "test: go test, on the 32-bit library"
    make -s -j"$(nproc)" TARGET=i386 spine drivers layers
    TARGET=i386 TARGET_CC="gcc -m32" "$go" test -vet=off -count 1 ./test/target ./test/instance
else
    echo "test: gcc -m32 makes no programs here (Debian: gcc-multilib), so the 32-bit library is not tried"
fi
# The driver service has threads of Go, and other programs call discover from theirs; the C side is watched by test/storm.
echo "test: go test, with the race detector"
"$go" test -race -vet=off -count 1 -timeout 25m ./internal/containers/... ./discover
# The same cases once more on the library with sanitizers: those that go through the host program.
echo "test: go test, with the address and undefined-behaviour sanitizers"
env VKLOADER_TEST_BUILD=asan "$go" test -vet=off -ldflags='-s -w' -count 1 -p 3 -parallel 4 -timeout 25m ./test/chain ./test/client ./test/debug \
    ./test/discovery ./test/dispatch ./test/drivers ./test/instance ./test/layers ./test/memory ./test/physdev ./test/wsi

echo "test: the checks of the sources"
if ! wait $checks; then
    cat build/check.log >&2
    exit 1
fi
cat build/check.log
