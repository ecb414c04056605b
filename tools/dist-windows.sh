#!/bin/sh
# "make TARGET=windows dist": dist-windows.sh RELEASE DIRECTORY packs the build for Windows into
# DIRECTORY/vkloader-RELEASE-windows.zip: the DLL and the tool in both word sizes, man pages as text, a README and a
# PowerShell script. It also writes manifests for winget and Scoop, with the archive's checksum; the publisher fills in
# @ADDRESS@ and @PUBLISHER@. The same commit gives the same bytes.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
release=$1 directory=$2
name=vkloader-$release-windows
command -v groff > /dev/null || {
    echo "dist: groff makes text of the man pages; Debian: groff-base" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
top=$work/$name
for size in x64 x86; do
    mkdir -p "$top/$size/libexec"
    cp "build/windows/$size/vulkan-1.dll" "build/windows/$size/vkloader.exe" "$top/$size/"
    cp "build/windows/$size/libexec/probe.exe" "$top/$size/libexec/"
done
dos() { sed 's/\r*$/\r/'; }
dos < packaging/windows/README.txt > "$top/README.txt"
dos < packaging/windows/use-vkloader.ps1 > "$top/use-vkloader.ps1"
dos < LICENSE > "$top/LICENSE.txt"
mkdir "$top/man"
for page in build/share/man/man?/*; do
    page_name=$(basename "$page")
    case $page_name in
    vkloader-cdi* | vkloader-service* | vkloader-system* | vkloader-settings-layer* | vkloader-settings-policy*) \
        continue ;;
    esac
    { printf 'Written for Linux; README.txt lists what differs on Windows.\n\n' &&
        groff -man -Tascii -rLL=78n -P-cbou "$page"; } | dos > "$top/man/$page_name.txt"
done
mkdir -p "$directory"
sum=$(tools/zipped.sh "$directory/$name.zip" "$top")
for file in packaging/windows/winget/*.yaml packaging/windows/scoop/*.json; do
    to=$directory/$(basename "$(dirname "$file")")
    mkdir -p "$to"
    sed "s/@RELEASE@/$release/g; s/@SHA256@/$sum/g" "$file" > "$to/$(basename "$file")"
done
echo "$directory/$name.zip"
