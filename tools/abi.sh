#!/bin/sh
# "make abi" compares the binary interface of the library with that of Debian's libvulkan1, or of the library in the
# argument. It installs missing packages (abidiff, libvulkan1) if it may, and builds the library. It prints additions,
# and fails on removals and changes.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."

tools/packages.sh abi abigail-tools libvulkan1
make -s TARGET= spine
reference=${1:-/usr/lib/$(${CC:-cc} -print-multiarch)/libvulkan.so.1}
for library in "$reference" build/libvulkan.so.1; do
    if ! [ -e "$library" ]; then
        echo "abi: there is no $library" >&2
        exit 1
    fi
done
echo "abi: $(readlink -f "$reference") and build/$(readlink -f build/libvulkan.so.1 | sed 's,.*/,,'), by $(abidiff --version)"
# abidiff's exit status is a set of bits: 1 and 2, it could not compare; 4, the interfaces differ; 8, a program that was
# linked with the first library may not work with the second.
status=0
abidiff "$reference" build/libvulkan.so.1 || status=$?
if [ $((status & 3)) != 0 ]; then
    echo "abi: abidiff could not compare them" >&2
    exit 1
elif [ $((status & 8)) != 0 ]; then
    echo "abi: something that programs are linked with is gone or another" >&2
    exit 1
fi
echo "abi: nothing is removed and nothing changed"
