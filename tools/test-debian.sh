#!/bin/sh
# "make test-debian" builds the Debian packages of the last commit as Debian would, and tries them: in a Debian sid from
# debootstrap, with the build dependencies of debian/control from Debian, in a network namespace without devices. Needs
# root, debootstrap and the network for Debian's packages. The steps, which arguments choose (default: all):
#
#   build     dpkg-buildpackage with the tests of the build
#   again     a second build in another directory, time zone, locale, umask, for another user without a home and with one job, later:
#             the same bytes
#   options   builds with the options nocheck, noopt, terse and parallel, and with the profile nocheck
#   lintian   each line that lintian prints with --pedantic about packages and source stands in debian/lintian-known.txt, with its reason
#   install   debian/tests in a second system with the packages, and the ways back of docs/blockers.md
#   cross     for riscv64
#   c         the library from the archive of "make dist", with gcc and with clang, without Go
#
# The systems are below build/debian and are reused; "rm -rf build/debian" starts again from nothing.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "test-debian: it needs root, for debootstrap and chroot" >&2; exit 1; }
top=$PWD/build/debian
steps=${*:-build again options lintian install cross c}
version=$(dpkg-parsechangelog -S Version)
mkdir -p "$top"
began=$(date +%s)
say() { echo "test-debian: $* ($(($(date +%s) - began)) s)"; }

# in_root ROOT COMMAND... runs a command with a separate mount namespace and no network. online_in ROOT keeps the
# network.
online_in() {
    root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c \
        'r=$1; shift; mount -t proc proc "$r/proc"; mount --rbind /dev "$r/dev"; mount -t tmpfs tmpfs "$r/dev/shm"
        exec chroot "$r" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"' sh "$root" "$@"
}
in_root() { unshare --net "$0" enter "$@"; }
if [ "${1:-}" = enter ]; then
    shift
    online_in "$@"
    exit
fi

# system NAME PACKAGES... makes a Debian sid with packages.
system() {
    root=$top/$1
    if [ ! -e "$root/ready" ]; then
        say "a Debian sid in $root"
        rm -rf "$root"
        debootstrap --variant=minbase sid "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$top/$1.log" 2>&1
        printf 'Acquire::Check-Valid-Until "false";\nAPT::Install-Recommends "false";\n' > \
            "$root/etc/apt/apt.conf.d/90test"
        cp /etc/resolv.conf "$root/etc/resolv.conf"
        shift
        online_in "$root" sh -c 'apt-get update -q && apt-get install -q -y "$@"' sh "$@" >> "$top/builder.log" 2>&1
        touch "$root/ready"
    fi
}

# sources ROOT DIRECTORY unpacks the last commit there.
sources() {
    rm -rf "${1:?}/$2"
    mkdir -p "$1/$2/vkloader"
    git archive HEAD | tar -x -C "$1/$2/vkloader"
}

builder=$top/builder
for step in $steps; do
    case $step in build | again | options | lintian | cross)
        system builder build-essential devscripts fakeroot lintian equivs crossbuild-essential-riscv64
        sources "$builder" source
        online_in "$builder" sh -c 'cd /source/vkloader && apt-get build-dep -q -y .' > "$top/build-dep.log" 2>&1 ||
            { tail -n 20 "$top/build-dep.log"; exit 1; }
        break
        ;;
    esac
done

# The network namespace has only a loopback device that is down, which is printed. $mask and $user: umask and user of
# the build.
mask=022 user=0
build() { # DIRECTORY LOG [VARIABLE=VALUE...] COMMAND...
    directory=$1 log=$2
    shift 2
    sources "$builder" "$directory"
    chown -R "$user:$user" "$builder/$directory"
    # shellcheck disable=SC2016
    in_root "$builder" sh -c 'd=$1; umask "$2"; user=$3; shift 3; cd "/$d/vkloader"; echo "network devices:"; sed 1,2d /proc/net/dev
        if [ "$user" != 0 ]; then set -- setpriv "--reuid=$user" "--regid=$user" --clear-groups env HOME=/nonexistent "$@"; fi
        exec env "$@"' sh "$directory" "$mask" "$user" "$@" > "$top/$log" 2>&1 || { tail -n 40 "$top/$log"; say "building failed: $top/$log"; exit 1; }
}

for step in $steps; do
    case $step in
    build)
        say "build: dpkg-buildpackage, without a network"
        build build build.log dpkg-buildpackage -us -uc -b
        grep -A1 "network devices" "$top/build.log"
        grep -c '^ok' "$top/build.log" | sed 's/$/ packages of Go passed their tests/'
        tail -n 3 "$top/build.log"
        ;;
    again)
        say "again: in another place, time and language"
        mask=002 user=1234
        build elsewhere/deeper again.log TZ=Pacific/Kiritimati LC_ALL=C LANG=fr_FR.UTF-8 \
            DEB_BUILD_OPTIONS="nocheck parallel=1" \
            dpkg-buildpackage -us -uc -b
        mask=022 user=0
        for deb in "$builder"/build/*.deb; do
            cmp "$deb" "$builder/elsewhere/deeper/${deb##*/}"
            echo "the same bytes: ${deb##*/}"
        done
        ;;
    options)
        say "options"
        build options noopt.log DEB_BUILD_OPTIONS="nocheck noopt terse parallel=2" dpkg-buildpackage -us -uc -b
        build options profile.log DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b
        for deb in "$builder"/build/*.deb; do
            cmp "$deb" "$builder/options/${deb##*/}"
        done
        echo "the same bytes with the profile nocheck"
        ;;
    lintian)
        ls "$builder"/build/*.changes > /dev/null || { say "lintian: there are no packages; the step build makes them"; exit 1; }
        say "lintian: the packages and the source package"
        sources "$builder" upload
        git archive --prefix="vkloader-${version%-*}/" HEAD -- . ':!debian' |
            gzip > "$builder/upload/vkloader_${version%-*}.orig.tar.gz"
        in_root "$builder" sh -c 'cd /upload/vkloader && dpkg-buildpackage -S -us -uc -d' > "$top/source.log" 2>&1 ||
            { cat "$top/source.log"; exit 1; }
        in_root "$builder" sh -c 'lintian -EviI --pedantic --allow-root /build/*.changes /upload/*.changes' > \
            "$top/lintian.log" 2>&1 || : # it found something: the comparison judges its lines
        sed -n 's/ source: /: /; /^[EWIPX]: /p' "$top/lintian.log" | sort -u > "$top/lintian.found"
        unknown=0
        while read -r severity package tag rest; do
            if ! grep -qE "^${severity%:} ${tag}( |$)" debian/lintian-known.txt; then
                echo "$severity $package $tag $rest"
                unknown=1
            fi
        done < "$top/lintian.found"
        [ $unknown = 0 ] || { say "these lines stand in no row of debian/lintian-known.txt"; exit 1; }
        wc -l < "$top/lintian.found" | sed 's/$/ lines, all known/'
        ;;
    install)
        system user libvulkan1 mesa-vulkan-drivers vulkan-tools xvfb xauth busybox
        say "install: debian/tests"
        user=$top/user
        rm -rf "$user/packages"
        mkdir "$user/packages"
        cp "$builder/build/libvulkan1-vkloader_${version}"_*.deb "$builder/build/vkloader_${version}"_*.deb \
            "$user/packages/"
        cp -r debian/tests tools/way-back.sh "$user/packages/"
        # A failed run leaves its choice of a loader behind.
        in_root "$user" dpkg --purge vkloader libvulkan1-vkloader > /dev/null 2>&1 || :
        in_root "$user" sh -c 'dpkg -i /packages/*.deb' > "$top/install.log" 2>&1 || { cat "$top/install.log"; exit 1; }
        in_root "$user" sh -c '/packages/tests/vulkan && /packages/tests/switch && dpkg -i /packages/*.deb > /dev/null && sh /packages/way-back.sh'
        in_root "$user" dpkg --purge vkloader libvulkan1-vkloader > /dev/null 2>&1
        ;;
    cross)
        say "cross: riscv64"
        online_in "$builder" sh -c 'dpkg --add-architecture riscv64 && apt-get update -q && cd /source/vkloader && apt-get build-dep -q -y -a riscv64 -P nocheck,cross .' \
            > "$top/cross-dep.log" 2>&1 || { tail -n 20 "$top/cross-dep.log"; exit 1; }
        build cross cross.log DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES="nocheck cross" dpkg-buildpackage -us -uc \
            -b -a riscv64
        ls "$builder"/cross/*.deb
        ;;
    c)
        say "c: the library with a C compiler alone"
        tools/test-release.sh
        ;;
    *)
        echo "test-debian: there is no step $step" >&2
        exit 2
        ;;
    esac
done
say "done"
