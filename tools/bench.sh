#!/bin/sh
# "make bench" installs missing Debian packages if it may, builds, and measures. The arguments are those of
# test/loader/bench.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."

# The loader to compare with, drivers, and a tool that counts instructions.
tools/packages.sh bench libvulkan1 mesa-vulkan-drivers valgrind
make -s -j"$(nproc)" TARGET= bench-programs
exec build/bench/bench "$@"
