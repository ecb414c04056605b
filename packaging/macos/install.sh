#!/bin/sh
# install.sh [remove]: copies libvulkan.1.dylib to /usr/local/lib with a link and vkloader to /usr/local/bin, or removes
# them. DESTDIR is another root.
set -eu
unset CDPATH
cd "$(dirname "$0")"
root=${DESTDIR:-}/usr/local
file=$root/lib/libvulkan.1.dylib link=$root/lib/libvulkan.dylib tool=$root/bin/vkloader
case ${1:-install} in
install)
    for name in "$file" "$link" "$tool"; do
        if [ -e "$name" ] || [ -L "$name" ]; then
            echo "install: $name exists; remove it or its package first" >&2
            exit 1
        fi
    done
    mkdir -p "$root/lib" "$root/bin"
    cp libvulkan.1.dylib "$file"
    ln -s libvulkan.1.dylib "$link"
    cp vkloader "$tool"
    chmod 755 "$file" "$tool"
    echo "installed: $file, $link, $tool"
    ;;
remove)
    for name in "$file" "$tool"; do
        if ! cmp -s "$(basename "$name")" "$name"; then
            echo "install: $name is not the file of this archive; nothing is removed" >&2
            exit 1
        fi
    done
    rm "$file" "$tool"
    if [ "$(readlink "$link")" = libvulkan.1.dylib ]; then rm "$link"; fi
    echo "removed: $file, $link, $tool"
    ;;
*)
    echo "usage: install.sh [remove]" >&2
    exit 2
    ;;
esac
