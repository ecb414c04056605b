#!/bin/sh
# install.sh [remove]: copies libvulkan.1.dylib to /usr/local/lib with a link, or removes both. DESTDIR is another root.
set -eu
unset CDPATH
cd "$(dirname "$0")"
to=${DESTDIR:-}/usr/local/lib
file=$to/libvulkan.1.dylib link=$to/libvulkan.dylib
case ${1:-install} in
install)
    for name in "$file" "$link"; do
        if [ -e "$name" ] || [ -L "$name" ]; then
            echo "install: $name exists; remove it or its package first" >&2
            exit 1
        fi
    done
    mkdir -p "$to"
    cp libvulkan.1.dylib "$file"
    ln -s libvulkan.1.dylib "$link"
    echo "installed: $file, $link"
    ;;
remove)
    if ! cmp -s libvulkan.1.dylib "$file"; then
        echo "install: $file is not the file of this archive; nothing is removed" >&2
        exit 1
    fi
    rm "$file"
    if [ "$(readlink "$link")" = libvulkan.1.dylib ]; then rm "$link"; fi
    echo "removed: $file, $link"
    ;;
*)
    echo "usage: install.sh [remove]" >&2
    exit 2
    ;;
esac
