#!/bin/sh
# "make test TARGET=..." builds the library, drivers and layers for another machine or C library, and runs the suites
# that apply to it. test/loader/target/TARGET.txt lists the skipped tests, which are printed. On Debian it installs
# missing packages or names them: the compiler, which tools/cross.sh unpacks for another machine, and an emulator if the
# kernel does not run the target's programs. TARGET_RUN: another emulator, with its arguments. SLOW=1 adds suites that
# take minutes.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}
target=$1

# shellcheck source=tools/suites.sh
. tools/suites.sh
slow="./test/loader/memory"
field() { awk -v t="$target" -v n="$1" '$1 == t { print $n }' internal/machines/machines.txt; }
# Further suites if the kernel runs the programs.
more="./test/containers/client ./test/loader/storm ./test/loader/null"
case $target in
i386)
    compiler=i686-linux-gnu-gcc
    packages="gcc-multilib"
    more="$more ./test/loader/guest ./test/loader/bench"
    ;;
musl)
    compiler=musl-gcc
    packages="musl-tools"
    ;;
*)
    compiler=$(field 7)-gcc
    packages=
    if [ "$(uname -m)" != "$(field 2)" ]; then
        tools/cross.sh compiler "$target"
        export PATH="$PWD/build/cross/bin:$PATH"
    fi
    more=
    ;;
esac
# Debian's cross compilers conflict with gcc-multilib, so a compiler that is already installed is used.
# shellcheck disable=SC2086
[ -z "$packages" ] || command -v "$compiler" > /dev/null || tools/packages.sh test $packages
parallel=4
lists=test/loader/target/$target.txt
emulator=${TARGET_RUN:-$(tools/emulator.sh "$target" fetch)}
if [ -n "$emulator" ]; then
    echo "test: programs of $target run below $emulator"
    lists="test/loader/target/emulated.txt $lists"
    # Emulated processors are slow, and cases wait for each other.
    parallel=2
    out="$more"
    if [ "$target" = i386 ]; then out="$out and the sanitizers"; fi
    if [ -n "$out" ]; then echo "test: $target leaves out, because the kernel runs none of its programs: $out"; fi
    more=
    if [ "${SLOW:-}" != 1 ]; then
        echo "test: $target leaves out, without SLOW=1: $slow"
        slow=
    fi
fi
suites="./test/loader/target $suites $slow $more"
make -s -j"$(nproc)" TARGET="$target" spine drivers layers
if [ "$target" != musl ]; then make -s TARGET="$target" tool; fi
if [ "$target" = i386 ] && [ -z "$emulator" ]; then
    make -s -j"$(nproc)" TARGET=i386 asan # for the storm, too
    make -s -j"$(nproc)" TARGET= all      # an upgrade installs the machine's own tool as well
fi

# shellcheck disable=SC2086
leave_out "$target" $lists
# by_go FLAG... -- PACKAGE...: runs go test.
by_go() {
    GOOS='' GOARCH='' CGO_ENABLED=0 "$go" build -o build/progress ./tools/progress
    GO=$go build/progress -count 1 "$@"
}
# shellcheck disable=SC2086
by_go -p 2 -parallel "$parallel" -skip "$skip" -- $suites
# The sanitizers work only without an emulator.
if [ "$target" = i386 ] && [ -z "$emulator" ]; then
    echo "test: $target, with the address and undefined-behaviour sanitizers"
    # shellcheck disable=SC2086
    VKLOADER_TEST_BUILD=asan by_go -vet=off -p 2 -parallel "$parallel" -skip "$skip" -- $sanitized
fi
# The packages of the tool that debian/rules tests on each machine. The test programs are static, so the emulator needs
# no path of libraries.
architecture=$(field 9)
case $architecture in
"" | -) ;;
*)
    echo "test: the tool's packages, for $target"
    CGO_ENABLED=0 GOARCH=$architecture by_go -vet=off -p 2 \
        ${emulator:+-exec "${emulator%% *}"} \
        -skip "^TestRealLibraries\$|$skip" -- ./internal/core/... ./internal/decide/... \
        ./internal/containers/protocol ./internal/machines
    ;;
esac
# Threads that leave a driver by cancellation, an exception or longjmp: unwinding differs between machines.
if [ -n "$emulator" ]; then by_go -run '^TestOutOfA(Driver|LookUp)$' -- ./test/loader/guest; fi
