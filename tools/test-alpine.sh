#!/bin/sh
# The part of "make test-packages" for Alpine: follows the steps of abuild for packaging/alpine/APKBUILD, from "make
# dist"'s archive, with musl's compiler, and busybox for the shell and its commands. It checks the content of each
# package, and that a program on musl loads the library. No root is needed.
#
# It uses neither abuild nor apk nor an Alpine system. It implements abuild's functions, such as amove and default_dev,
# as far as the APKBUILD uses them, without a comparison with abuild; it does not test dependencies.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
tools/packages.sh test-packages musl-tools busybox

here=$PWD/build/packages/alpine
archive=$PWD/build/vkloader-$(cat VERSION).tar.gz
[ -e "$archive" ] || {
    echo "test-alpine: there is no $archive: make dist makes it" >&2
    exit 1
}
rm -rf "$here"
mkdir -p "$here/bin" "$here/src" "$here/program"
# Commands of busybox, except those of the compiler and of Go.
for applet in $(busybox --list); do
    case $applet in
    ar | dpkg | dpkg-deb | busybox | strings) ;;
    *) ln -s "$(command -v busybox)" "$here/bin/$applet" ;;
    esac
done
go=$(command -v "${GO:-go}")
# Variables exported by the calling Makefile are for its own build.
unset CC TARGET TARGET_CC CGO_ENABLED MAKEFLAGS MAKELEVEL MFLAGS GOARCH

cat > "$here/abuild" <<'END'
set -eu
cd "$here/src"
startdir=$here srcdir=$here/src
. "$apkbuild"
builddir=$srcdir/$pkgname-$pkgver
pkgdir=$here/pkg/$pkgname
tar -xzf "$archive"
mkdir -p "$pkgdir"

# amove PATTERN... moves matching files from the package to the subpackage.
amove() {
    for pattern; do
        for found in "$pkgdir"/$pattern; do
            to=$subpkgdir/${found#"$pkgdir"/}
            mkdir -p "${to%/*}"
            mv "$found" "${to%/*}/"
            rmdir -p "${found%/*}" 2> /dev/null || : # others may still be there
        done
    done
}
default_doc() { amove usr/share/man; }
default_dev() { amove 'usr/lib/*.so' usr/lib/pkgconfig usr/lib/cmake; }
default_bash_completion() { amove usr/share/bash-completion; }
default_zsh_completion() { amove usr/share/zsh; }
default_fish_completion() { amove usr/share/fish; }

case " $options " in *" !check "*) ;; *) echo "there is no check() here to leave out" >&2 && exit 1 ;; esac
(cd "$builddir" && build)
(cd "$builddir" && package)
for subpackage in $subpackages; do
    part=$(echo "${subpackage#"$pkgname"-}" | tr - _)
    subpkgdir=$here/pkg/$subpackage
    mkdir -p "$subpkgdir"
    if ! command -v "$part" > /dev/null; then part=default_$part; fi
    (cd "$builddir" && "$part")
done
END
echo "test-alpine: build and package"
# Debian's musl-gcc cannot link a static position-independent program, so gcc links the tool.
commands=$here/bin:$(dirname "$go"):$PATH
if ! env "here=$here" "archive=$archive" "apkbuild=$PWD/packaging/alpine/APKBUILD" CC=musl-gcc TOOL_CC=gcc \
    "MAKEFLAGS=-j$(nproc)" \
    "PATH=$commands" busybox sh "$here/abuild" > "$here/log" 2>&1; then
    tail -n 20 "$here/log" >&2
    echo "test-alpine: failed; all of it is in $here/log" >&2
    exit 1
fi

echo "test-alpine: what came into which package"
library=$(find "$here/pkg" -name 'libvulkan.so.1.*' -printf %f)
(cd "$here/pkg" && find . ! -type d | sed 's|^\./||; s|/man/.*|/man|' | sort -u) > "$here/files"
cat > "$here/wanted" <<END
vkloader-bash-completion/usr/share/bash-completion/completions/vkloader
vkloader-dev/usr/lib/cmake/VulkanLoader/VulkanLoaderConfig.cmake
vkloader-dev/usr/lib/cmake/VulkanLoader/VulkanLoaderConfigVersion.cmake
vkloader-dev/usr/lib/libvulkan.so
vkloader-dev/usr/lib/pkgconfig/vulkan.pc
vkloader-doc/usr/share/man
vkloader-fish-completion/usr/share/fish/vendor_completions.d/vkloader.fish
vkloader-libs/usr/lib/$library
vkloader-libs/usr/lib/libvulkan.so.1
vkloader-zsh-completion/usr/share/zsh/site-functions/_vkloader
vkloader/usr/bin/vkloader
vkloader/usr/libexec/vkloader/probe
END
sort -o "$here/wanted" "$here/wanted"
diff -u "$here/wanted" "$here/files" || {
    echo "test-alpine: the packages should have the files that are marked -, and have those that are marked +" >&2
    exit 1
}
# Both files must be linked with musl.
for file in "vkloader-libs/usr/lib/$library" vkloader/usr/libexec/vkloader/probe; do
    needs=$(readelf -d "$here/pkg/$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | paste -s -d ' ')
    [ "$needs" = libc.so ] || {
        echo "test-alpine: $file needs $needs, and not libc.so alone" >&2
        exit 1
    }
done

echo "test-alpine: a program on musl"
make -s -j"$(nproc)" TARGET=musl drivers > "$here/log"
musl-gcc -D_GNU_SOURCE -Wall -Wextra -Werror -o "$here/program/client" test/lib/bin/client.c
told=$(env -i "LD_LIBRARY_PATH=$here/pkg/vkloader-libs/usr/lib" \
    "VK_DRIVER_FILES=$PWD/build/musl/drivers/null_icd.json" \
    "$here/program/client" < /dev/null 2>&1) || : # judged by its output
[ "$told" = "library $here/pkg/vkloader-libs/usr/lib/$library
devices 1" ] || {
    echo "test-alpine: the program should get the package's library, and says: $told" >&2
    exit 1
}
told=$(env -i "$here/pkg/vkloader/usr/bin/vkloader" --version)
case $told in
"vkloader $(cat VERSION)"*) ;;
*)
    echo "test-alpine: vkloader --version says: $told" >&2
    exit 1
    ;;
esac
echo "test-alpine: all is well"
