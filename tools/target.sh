#!/bin/sh
# "make test TARGET=...": builds the library, drivers and layers for another machine or C library and runs the suites
# that judge them there. What is left out is in test/target/TARGET.txt, and printed. Programs of arm64 run where the
# kernel knows an interpreter for them (qemu-user by binfmt_misc) and Debian's libc6 of that machine is installed.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
target=$1

case $target in
i386)
    packages="gcc-multilib"
    suites="./test/target ./test/library ./test/chain ./test/debug ./test/discovery ./test/dispatch ./test/drivers
        ./test/instance ./test/layers ./test/memory ./test/physdev ./test/wsi"
    ;;
arm64)
    packages="gcc-aarch64-linux-gnu"
    suites="./test/target"
    ;;
musl)
    packages="musl-tools"
    suites="./test/target"
    ;;
esac
# shellcheck disable=SC2086
tools/packages.sh test $packages
make -s -j"$(nproc)" spine drivers layers

grep -v '^#' "test/target/$target.txt" | sed "s/^/test: $target leaves out: /" || :
skip=$(grep -v '^#' "test/target/$target.txt" | cut -d ' ' -f 1 | paste -s -d '|' || :)
# shellcheck disable=SC2086
exec "$go" test -count 1 -p 2 -parallel 4 -timeout 25m ${skip:+-skip "^($skip)\$"} $suites
