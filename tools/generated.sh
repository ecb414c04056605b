#!/bin/sh
# generated.sh checks that the generated files match the output of the generators for the registry at $VK_XML (by
# default registry/vk.xml). It works on a copy of the tree.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
xml=${VK_XML:-registry/vk.xml}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT INT TERM
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
xml=$(cd "$(dirname "$xml")" && pwd)/$(basename "$xml")
make -s -C "$copy" TARGET= generate VK_XML="$xml" > /dev/null
if diff -r --exclude=build --exclude=.git . "$copy" > "$copy.diff"; then
    rm -f "$copy.diff"
    echo "generated: current, made again from $xml"
else
    sed -n '1,40p' "$copy.diff" >&2
    rm -f "$copy.diff"
    echo "generated: the files above are not what the generator makes; run: make generate" >&2
    exit 1
fi
