#!/bin/sh
# "make install" copies the build below $DESTDIR$PREFIX, with vulkan.pc (EXP-012) and the CMake package VulkanLoader
# (EXP-013). It does not install the build's drivers and layers, which are for tests.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
: "${BUILD:?}" "${BITS:?}" "${PREFIX:?}" "${LIBDIR:?}" "${BINDIR:?}" "${INCLUDEDIR:?}" "${LIBEXECDIR:?}" \
    "${DATADIR:?}" "${VERSION:?}"
d=${DESTDIR:-}
# Modes do not depend on the caller's umask: everyone may read files and directories, the owner may write.
umask 022

# Prints a directory as the package files write it: relative to ${prefix} if it is below the prefix.
below() {
    case $1 in
    "$PREFIX"/*) echo "$2${1#"$PREFIX"}" ;;
    *) echo "$1" ;;
    esac
}

install -d "$d$LIBDIR/pkgconfig" "$d$LIBDIR/cmake/VulkanLoader"
# Copies to a new name and renames it, so that running programs keep the old file.
put() {
    install -m "$1" "$2" "$3.new"
    mv -f "$3.new" "$3"
}
put 755 "$BUILD/libvulkan.so.$VERSION" "$d$LIBDIR/libvulkan.so.$VERSION"
ln -sf "libvulkan.so.$VERSION" "$d$LIBDIR/libvulkan.so.1"
ln -sf libvulkan.so.1 "$d$LIBDIR/libvulkan.so"
# Without a tool, the library is for another machine, and is installed in addition to this machine's.
if [ -x "$BUILD/vkloader" ]; then
    install -d "$d$BINDIR" "$d$LIBEXECDIR/vkloader"
    put 755 "$BUILD/vkloader" "$d$BINDIR/vkloader"
    put 755 "$BUILD/libexec/vkloader/probe" "$d$LIBEXECDIR/vkloader/probe"
    # Man pages and shell completions.
    (cd "$BUILD/share" && find . -type f ! -name stamp) | while read -r file; do
        install -d "$d$DATADIR/$(dirname "${file#./}")"
        put 644 "$BUILD/share/${file#./}" "$d$DATADIR/${file#./}"
    done
    # The units of the driver service, for the machine and for users, and of the CDI files. They are installed, not
    # enabled.
    for kind in system user; do
        from=packaging/systemd
        if [ "$kind" = user ]; then from=packaging/systemd/user; fi
        units=$d$PREFIX/lib/systemd/$kind
        install -d "$units"
        for unit in "$from"/*.s* "$from"/*.path; do
            [ -e "$unit" ] || continue
            sed "s|@BINDIR@|$BINDIR|g" "$unit" > "$units/${unit##*/}.new"
            chmod 644 "$units/${unit##*/}.new"
            mv -f "$units/${unit##*/}.new" "$units/${unit##*/}"
        done
        install -d "$units-preset"
        put 644 packaging/systemd/vkloader.preset "$units-preset/80-vkloader.preset"
    done
fi

# shellcheck disable=SC2016 # it is pkg-config that expands them
cat > "$d$LIBDIR/pkgconfig/vulkan.pc" <<PC
prefix=$PREFIX
exec_prefix=\${prefix}
libdir=$(below "$LIBDIR" '${exec_prefix}')
includedir=$(below "$INCLUDEDIR" '${prefix}')

Name: Vulkan-Loader
Description: Vulkan Loader
Version: $VERSION
Libs: -L\${libdir} -lvulkan
Cflags: -I\${includedir}
PC

# The package's files are in LIBDIR/cmake/VulkanLoader. They refer to the library as two directories up, so the tree may
# be moved.
cat > "$d$LIBDIR/cmake/VulkanLoader/VulkanLoaderConfig.cmake" <<'CMAKE'
# The Vulkan loader as an imported target, Vulkan::Loader.
if(NOT TARGET Vulkan::Loader)
    get_filename_component(_vulkanloader_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
    add_library(Vulkan::Loader SHARED IMPORTED)
    set_target_properties(Vulkan::Loader PROPERTIES
        IMPORTED_LOCATION "${_vulkanloader_libdir}/libvulkan.so.1"
        IMPORTED_SONAME "libvulkan.so.1")
    unset(_vulkanloader_libdir)
endif()
CMAKE
cat > "$d$LIBDIR/cmake/VulkanLoader/VulkanLoaderConfigVersion.cmake" <<CMAKE
# Compatible with every version of the same major number that is not newer.
set(PACKAGE_VERSION "$VERSION")
if(PACKAGE_FIND_VERSION_MAJOR STREQUAL "${VERSION%%.*}" AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
    if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL $((BITS / 8)))
    set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
CMAKE
echo "installed vkloader for Vulkan $VERSION below $d$PREFIX"
if [ -z "$d" ]; then
    echo "programs find the library when $LIBDIR is among the linker's directories: run ldconfig"
fi
