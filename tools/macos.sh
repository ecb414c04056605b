#!/bin/sh
# "make test TARGET=macos" builds the library, the tool, the null driver and the sample layer for macOS. It then runs
# the tests of the dylib file, of the behaviour on macOS, and of all systems, with the Mach-O runner of test/lib/macos.
# test/loader/target/macos.txt lists the skipped tests, which are printed. At the end, it compares the answers of the
# library's core with those of the core in Go. The suites run for both slices of the universal library, that for arm64
# below an emulator. tools/zig.sh fetches the compiler. The machine must be x86-64.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
tools/packages.sh test npm llvm
tools/zig.sh > /dev/null
make -s -j"$(nproc)" TARGET= all
make -s -j"$(nproc)" TARGET=macos all
export TARGET=macos VKLOADER_TEST_ALL=1
# shellcheck source=tools/suites.sh
. tools/suites.sh
lists=test/loader/target/macos.txt
"${GO:-go}" build -o build/progress ./tools/progress
for slice in x86_64 arm64; do
    if [ $slice = arm64 ]; then
        tools/cross.sh compiler arm64
        tools/cross.sh emulator arm64
        lists="$lists test/loader/target/emulated.txt"
    fi
    export VKLOADER_TEST_SLICE=$slice
    echo "test: the slice for $slice"
    # shellcheck disable=SC2086
    leave_out macos $lists
    # shellcheck disable=SC2086
    build/progress -count 1 -p 2 -parallel 4 -skip "$skip" -- ./test/loader/macos $suites ./test/loader/memory \
        ./test/loader/storm
    build/progress -count 1 -run '^TestMacOS' -- ./test/loader/equal
done
