#!/bin/sh
# test-release.sh makes the files of a release twice, from clones in different directories, and compares them. Then it
# builds the library from the archive with gcc and with clang, if installed, without Go in PATH, and compares the
# exports with debian/libvulkan1-vkloader.symbols.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
version=$(cat VERSION)
commit=$(git rev-parse HEAD)
for place in a 'b c/deeper'; do
    git clone -q --no-hardlinks . "$work/$place"
    git -C "$work/$place" checkout -q --detach "$commit"
    (cd "$work/$place" && unset MAKEFLAGS MAKELEVEL &&
        make -s TARGET= release RELEASE_FILES="$work/$place.release") > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
for file in "vkloader-$version.tar.gz" "vkloader-$version.provenance" SHA256SUMS; do
    cmp "$work/a.release/$file" "$work/b c/deeper.release/$file"
    echo "test-release: the same bytes from two clones: $file"
done
(cd "$work/a.release" && sha256sum --quiet -c SHA256SUMS)

# The commands that a build of the library may use; Go is not among them. ccache is removed, because it would look for
# the compiler only in their directory.
PATH=$(printf '%s\n' "$PATH" | sed 's|[^:]*/ccache:||g')
mkdir "$work/bin"
for command in sh bash env make gcc clang cc ld as ar cc1 awk sed grep sort tr cat cp mv rm ln mkdir mktemp touch cmp \
    printf date dirname \
    basename nproc uname strip objcopy nm readlink test echo true false expr head tail cut wc ls git find xargs; do
    path=$(command -v "$command" 2> /dev/null || :) # the next line has a path for it
    case $path in /*) ;; *) path=/usr/bin/$command ;; esac # the shell has some of them itself
    [ ! -x "$path" ] || ln -s "$path" "$work/bin/$command"
done
for compiler in gcc clang; do
    if ! command -v "$compiler" > /dev/null; then
        echo "test-release: there is no $compiler here"
        continue
    fi
    rm -rf "$work/source"
    mkdir "$work/source"
    tar -x -z -f "$work/a.release/vkloader-$version.tar.gz" -C "$work/source" --strip-components=1
    env -i PATH="$work/bin" HOME="$work" make -s -C "$work/source" CC="$compiler" TARGET= spine > "$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
    nm -D --defined-only "$work/source/build/libvulkan.so.1" | awk '{ print $3 }' | sort > "$work/exports"
    sed -n 's/^ \(vk[^@]*\)@.*/\1/p' "$top/debian/libvulkan1-vkloader.symbols" | sort | cmp - "$work/exports"
    echo "test-release: $compiler builds the library without Go: $(wc -l < "$work/exports") exports"
done
