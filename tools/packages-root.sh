# packages-root.sh is the common part of the package tests. They source it in the repository's root, with $of set to
# their name. It makes a Debian with debootstrap in build/packages, once, and for each case a root in overlayfs layers
# above it. It also finds the loader that a program gets there. Needs root, an amd64 machine and, once, the network.
# shellcheck shell=sh
# shellcheck disable=SC2154 # "of", and lib64, lib32: the directories of libraries
[ "$(dpkg --print-architecture)" = amd64 ] || {
    echo "$of: needs an amd64 machine, whose kernel runs i386 programs" >&2
    exit 1
}
here=$PWD/build/packages
# shellcheck source=tools/cases.sh
. tools/cases.sh
root=$here/root
distribution="libvulkan1 libvulkan1:i386 libvulkan-dev mesa-vulkan-drivers vulkan-tools systemd"

# ---- the Debian that all cases begin with ----------------------------------------------------------------------------

in_tree() {
    tree=$1
    shift
    chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        "$@"
}

# prepare TREE: prevents the start of services in the tree, and configures the network for apt.
prepare() {
    printf '#!/bin/sh\nexit 101\n' > "$1/usr/sbin/policy-rc.d"
    chmod +x "$1/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
}

# Debian 12 for both word sizes, with the packages to install in apt's cache.
make_base() {
    if [ -d "$here/base" ]; then return 0; fi
    rm -rf --one-file-system "$here/base.part"
    make_debian "$here/base.part" bookworm ""
    prepare "$here/base.part"
    {
        in_tree "$here/base.part" dpkg --add-architecture i386
        in_tree "$here/base.part" apt-get update
        in_tree "$here/base.part" apt-get install -y --no-install-recommends libc6:i386
        # shellcheck disable=SC2086
        in_tree "$here/base.part" apt-get install -y --no-install-recommends --download-only $distribution
    } > "$here/base.log" 2>&1
    mv "$here/base.part" "$here/base"
}

# on LAYER... mounts directories below $here as a new root, the first one on top.
on() {
    end
    lower=
    for layer; do lower=$lower${lower:+:}$here/$layer; done
    mkdir -p "$here/upper" "$here/work" "$root"
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=$here/upper,workdir=$here/work" "$root"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys" # without it, doctor reports a problem
    if [ -d "$here/test" ]; then cp -r "$here/test" "$root/test"; fi
}

end() {
    if mountpoint -q "$root/sys"; then umount "$root/sys"; fi
    if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
    if mountpoint -q "$root"; then umount "$root"; fi
    rm -rf "$here/upper" "$here/work"
}
trap end EXIT
trap 'exit 1' INT TERM

# make_clients NAME COMPILER [TARGET] builds the null driver and the client. NAME: 64, 32 or arm64.
make_clients() {
    mkdir -p "$here/test/$1"
    make -s -j"$(nproc)" TARGET="${3:-}" drivers > "$here/log"
    cp "build/${3:+$3/}drivers"/* "$here/test/$1"
    $2 -D_GNU_SOURCE -Wall -Wextra -Werror -o "$here/test/$1/client" test/lib/bin/client.c
}

# ---- commands in a root ----------------------------------------------------------------------------------------------

# quiet COMMAND runs a command in the root, and prints its output only if it fails.
quiet() {
    if ! in_tree "$root" "$@" > "$here/log" 2>&1; then
        fail "$* failed:"
        tail -n 15 "$here/log" >&2
    fi
}

# gets NAME FILE: programs of this name (64, 32 or arm64) get the file as their loader, also after ldconfig has run.
gets() {
    for after in "" ldconfig; do
        $after${after:+_in_root}
        told=$(in_tree "$root" env "VK_DRIVER_FILES=/test/$1/null_icd.json" "/test/$1/client" < /dev/null 2>&1) ||
            fail "the $1-bit client failed${after:+ after $after}: $told"
        case $told in
        "library $2
devices 1") ;;
        *) fail "the $1-bit client should get $2${after:+ after $after}, and says: $told" ;;
        esac
    done
}
ldconfig_in_root() { quiet ldconfig; }
gets_ours() { gets "$1" "$(directory "$1")/vkloader/libvulkan.so.${2:-$vulkan}"; }
gets_theirs() { gets "$1" "$(directory "$1")/libvulkan.so.${2:-$old}"; }
# both_ours VERSION, both_theirs VERSION: programs of both word sizes get that version.
both_ours() {
    gets_ours 64 "$1"
    gets_ours 32 "$1"
}
both_theirs() {
    gets_theirs 64 "$1"
    gets_theirs 32 "$1"
}
directory() {
    case $1 in
    64) echo "$lib64" ;;
    32) echo "$lib32" ;;
    *) echo /usr/lib/aarch64-linux-gnu ;;
    esac
}

# systemctl changes links of units in the root, where no systemd runs.
systemctl_in_root() { in_tree "$root" systemctl "$@"; }

# unit_states prints each of the project's units, for the machine and for users, with its state and its preset state, as
# lines of the table in docs/packages.md.
unit_states() {
    for for in system user; do
        global=
        if [ $for = user ]; then global=--global; fi
        systemctl_in_root $global list-unit-files --no-legend 'vkloader*' | while read -r unit state preset; do
            echo "| \`$unit\` | $for | $state | $preset |"
        done
    done
}

# units_as_documented: no unit is enabled, wanted by another unit, or enabled by a preset, and the page lists each with
# this state.
units_as_documented() {
    unit_states | sort > "$here/units"
    # shellcheck disable=SC2016 # the page's own quotes
    sed -n 's/^| `vkloader[^ ]*` | \(system\|user\) | .*/&/p' docs/packages.md | sort > "$here/units.page"
    diff -u "$here/units.page" "$here/units" >&2 || fail "units differ from the table in docs/packages.md"
    told=$(find "$root/etc/systemd" "$root/usr/lib/systemd" -path '*.wants/*' -name '*vkloader*')
    [ -z "$told" ] || fail "wanted by other units: $told"
    quiet systemctl preset vkloader.service vkloader.socket vkloader-trusted.socket vkloader-cdi.path
    quiet systemctl --global preset vkloader.service vkloader.socket
    told=$(find "$root/etc/systemd" -name '*vkloader*')
    [ -z "$told" ] || fail "enabled by presets: $told"
}

# enable_units enables every unit that can be enabled.
enable_units() {
    quiet systemctl enable vkloader.service vkloader-trusted.socket vkloader-cdi.path
    quiet systemctl --global enable vkloader.service
    [ "$(find "$root/etc/systemd" -name '*vkloader*' | wc -l)" = 6 ] ||
        fail "systemctl enable made other links: $(cat "$here/log")"
}

# listing FILE writes the type, mode, owner, link target and checksum of each file in the root, and the state of each
# unit. It omits files that package managers, ldconfig and drivers write themselves.
listing() {
    # shellcheck disable=SC2016 # the shell in there expands it
    in_tree "$root" sh -c 'cd / && find . -xdev \( -path ./test -o -path ./root/.cache -o -path ./proc -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/lib/rpm \) -prune -o \( -type f -printf "%p %m %U:%G " -exec md5sum {} \; \
        -o -printf "%p %y %m %U:%G %l\n" \) | sed "s|  \./.*||"
        systemctl list-unit-files --no-legend; systemctl --global list-unit-files --no-legend' | sort > "$1"
}

# same_as LISTING [PATTERN]: the root differs from the listing only in lines that match PATTERN.
same_as() {
    listing "$here/listing.now"
    # diff and grep end with 1 if they find nothing.
    told=$(diff "$1" "$here/listing.now" | grep '^[<>]' | grep -v -e "${2:-no such line}") || :
    [ -z "$told" ] || fail "differs: $told"
}
