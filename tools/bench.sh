#!/bin/sh
# "make bench": installs the Debian packages that it needs when they are missing and it may, builds, and measures. The
# arguments are bench's own.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."

# What is measured beside this loader, the drivers, and what counts instructions.
tools/packages.sh bench libvulkan1 mesa-vulkan-drivers valgrind
make -s -j"$(nproc)" bench-programs
exec build/bench/bench "$@"
