#!/bin/sh
# Checks that the generated files are what the generator makes of the registry at $VK_XML. Works on a copy, so that the
# tree stays as it is. Without a registry it says so and checks only that which needs none.
set -eu
cd "$(dirname "$0")/.."
xml=${VK_XML:-../shared/registry/vk.xml}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT INT TERM
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
if [ -f "$xml" ]; then
    xml=$(cd "$(dirname "$xml")" && pwd)/$(basename "$xml")
    make -s -C "$copy" generate VK_XML="$xml" > /dev/null
    what="the registry and the descriptions"
else
    echo "generated: no registry at $xml (set VK_XML to compare with one); checking what needs none"
    (cd "$copy" && "${GO:-go}" generate ./... > /dev/null)
    what="the descriptions"
fi
if diff -r --exclude=build --exclude=.git . "$copy" > "$copy.diff"; then
    rm -f "$copy.diff"
    echo "generated: current, made again from $what"
else
    sed -n '1,40p' "$copy.diff" >&2
    rm -f "$copy.diff"
    echo "generated: the files above are not what the generator makes; run: make generate VK_XML=..." >&2
    exit 1
fi
