#!/bin/sh
# "make TARGET=macos dist": dist-macos.sh RELEASE DIRECTORY packs the library and the tool for macOS into
# DIRECTORY/vkloader-RELEASE-macos.zip, with a page about installation and MoltenVK, and the script that installs and
# removes them. The same commit gives the same bytes.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
release=$1 directory=$2
name=vkloader-$release-macos
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
top=$work/$name
mkdir "$top"
cp build/macos/libvulkan.1.dylib build/macos/vkloader packaging/macos/README.md packaging/macos/install.sh "$top"
cp LICENSE "$top/LICENSE.txt"
mkdir -p "$directory"
tools/zipped.sh "$directory/$name.zip" "$top" > /dev/null
echo "$directory/$name.zip"
