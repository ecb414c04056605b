#!/bin/sh
# "make deb": deb.sh [ARCHITECTURE...] builds the Debian packages into build/deb, by default for amd64, i386 and arm64.
# It unpacks missing cross compilers, and fails if it cannot build for one of the architectures. The same source gives
# the same bytes: the date comes from debian/changelog, the version from VERSION.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
tools/packages.sh deb debhelper dpkg-dev

release=$(cat VERSION)
version=$(dpkg-parsechangelog -S Version)
if [ "${version%-*}" != "$release" ]; then
    echo "deb: debian/changelog begins with $version, and VERSION says $release: dch -v $release-1 adds the entry" >&2
    exit 1
fi

# dh sets another HOME for each build; Go's caches stay in the user's.
go=$(command -v "${GO:-go}")
PATH=$(dirname "$go"):$PWD/build/cross/bin:$PATH
GOCACHE=$("$go" env GOCACHE)
GOMODCACHE=$("$go" env GOMODCACHE)
export PATH GOCACHE GOMODCACHE
jobs=${DEB_BUILD_OPTIONS:-parallel=$(nproc) nocheck}
# Variables exported by the calling Makefile are for its own build.
unset CC TARGET TARGET_CC CGO_ENABLED MAKEFLAGS MAKELEVEL MFLAGS GOARCH

# missing ARCHITECTURE prints the packages of missing compilers. dpkg-architecture warns about the compiler for another
# machine, which debian/rules chooses.
missing() {
    dpkg-architecture -a "$1" -f -c debian/rules --no-print-directory missing 2> build/deb/missing.log || {
        cat build/deb/missing.log >&2
        return 1
    }
}

mkdir -p build/deb
[ $# -gt 0 ] || set -- amd64 i386 arm64
for architecture; do
    missing=$(missing "$architecture")
    if [ -n "$missing" ] && tools/cross.sh compiler "$architecture"; then missing=$(missing "$architecture"); fi
    if [ -n "$missing" ]; then
        echo "deb: no packages for $architecture: missing is $missing; make deb ARCHITECTURES=\"...\" builds for others" >&2
        exit 1
    fi
    echo "deb: $architecture"
    if ! VKLOADER_MODULES=network VKLOADER_PACKAGES=build/deb \
        DEB_BUILD_OPTIONS="$jobs" dpkg-buildpackage -us -uc -b -d -a "$architecture" \
        --buildinfo-file="build/deb/vkloader_${version}_$architecture.buildinfo" --buildinfo-option=-ubuild/deb \
        --changes-file="build/deb/vkloader_${version}_$architecture.changes" --changes-option=-ubuild/deb \
        > "build/deb/$architecture.log" 2>&1; then
        tail -n 30 "build/deb/$architecture.log" >&2
        echo "deb: building for $architecture failed; all of it is in build/deb/$architecture.log" >&2
        exit 1
    fi
done
VKLOADER_MODULES=network debian/rules --no-print-directory clean > /dev/null
for architecture; do
    ls build/deb/*"_${version}_$architecture.deb"
done
