#!/bin/sh
# "make uninstall" removes the files that "make install" puts below $DESTDIR$PREFIX, and nothing else. With TARGET, it
# removes only that target's library, because "make install" has installed no tool for it. A library of another version
# that now owns the links stays.
set -eu
: "${BUILD:?}" "${PREFIX:?}" "${LIBDIR:?}" "${BINDIR:?}" "${INCLUDEDIR:?}" "${LIBEXECDIR:?}" "${DATADIR:?}"
d=${DESTDIR:-}
ours() {
    case $(readlink "$1" 2> /dev/null) in
    libvulkan.so.1 | libvulkan.so.1.4.*) return 0 ;;
    esac
    return 1
}
# "vkloader system use" may have chosen the distribution's loader; the choice becomes a plain link.
if theirs=$(readlink "$d$LIBDIR/libvulkan.so.1.99.distribution"); then
    ln -sfn "$theirs" "$d$LIBDIR/libvulkan.so.1"
    rm -f "$d$LIBDIR/libvulkan.so.1.99.distribution"
fi
if ours "$d$LIBDIR/libvulkan.so.1.99.vkloader"; then
    rm -f "$d$LIBDIR/libvulkan.so.1" "$d$LIBDIR/libvulkan.so.1.99.vkloader"
fi
for link in "$d$LIBDIR/libvulkan.so" "$d$LIBDIR/libvulkan.so.1"; do
    if ours "$link"; then rm -f "$link"; fi
done
rm -f "$d$LIBDIR"/libvulkan.so.1.4.* "$d$LIBDIR/pkgconfig/vulkan.pc"
rm -rf "$d$LIBDIR/cmake/VulkanLoader"
if [ "$BUILD" = build ]; then
    # CDI files contain the tool's path, so they are removed, and enabled units are disabled.
    if [ -z "$d" ] && [ -x "$BINDIR/vkloader" ]; then "$BINDIR/vkloader" cdi refresh --remove > /dev/null ||
        :; fi # a file that stays does not stop the removal
    for link in "$d"/etc/systemd/system/*.wants/vkloader* "$d"/etc/systemd/user/*.wants/vkloader*; do
        case $(readlink "$link" 2> /dev/null) in "$PREFIX"/lib/systemd/*) rm -f "$link" ;; esac
    done
    rm -f "$d$BINDIR/vkloader" "$d$LIBEXECDIR/vkloader/probe"
    rm -f "$d$DATADIR"/man/man[17]/vkloader* "$d$DATADIR/bash-completion/completions/vkloader" \
        "$d$DATADIR/zsh/site-functions/_vkloader" "$d$DATADIR/fish/vendor_completions.d/vkloader.fish"
    for unit in vkloader.service vkloader.socket vkloader-trusted.socket vkloader-cdi.service vkloader-cdi.path; do
        rm -f "$d$PREFIX/lib/systemd/system/$unit" "$d$PREFIX/lib/systemd/user/$unit"
    done
    rm -f "$d$PREFIX"/lib/systemd/*-preset/80-vkloader.preset
    rmdir "$d$LIBEXECDIR/vkloader" 2> /dev/null || true # others may have files there
fi
echo "removed from $d$PREFIX"
