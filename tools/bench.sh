#!/bin/sh
# "make bench": installs the Debian packages that it needs when they are missing and it may, builds, and measures. The
# arguments are bench's own.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."

# The loader to compare with, the drivers, and a tool that counts instructions.
tools/packages.sh bench libvulkan1 mesa-vulkan-drivers valgrind
make -s -j"$(nproc)" bench-programs
exec build/bench/bench "$@"
