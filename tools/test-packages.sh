#!/bin/sh
# "make test-packages": installs, upgrades, switches and removes the packages of build/deb in a Debian of their own, and
# looks after every step which loader programs get, that ldconfig leaves it so, and that nothing is left behind.
#
# That Debian is made by debootstrap, once, below build/packages: "base", with the packages to install in apt's cache,
# and "full", with libvulkan1 for both word sizes, libvulkan-dev, mesa-vulkan-drivers and vulkan-tools installed. Every
# case gets one of them in layers (overlayfs), and writes into a directory of its own. Needs root and the network.
set -eu
cd "$(dirname "$0")/.."
[ "$(dpkg --print-architecture)" = amd64 ] || {
    echo "test-packages: needs an amd64 machine, whose kernel runs i386 programs" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || {
    echo "test-packages: needs root, for chroot and overlayfs" >&2
    exit 1
}
tools/packages.sh test-packages debootstrap gcc-multilib dpkg-dev lintian

here=$PWD/build/packages
root=$here/root
version=$(dpkg-parsechangelog -S Version)
next=$version+next1
distribution="libvulkan1 libvulkan1:i386 libvulkan-dev mesa-vulkan-drivers vulkan-tools"
lib64=/usr/lib/x86_64-linux-gnu
lib32=/usr/lib/i386-linux-gnu
failed=0

# ---- the Debian that all cases begin with -------------------------------------------------------------------------

in_tree() {
    tree=$1
    shift
    chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

make_base() {
    echo "test-packages: debootstrap, and the packages that the cases install (once; $here/base)"
    rm -rf "$here/base.new"
    debootstrap --variant=minbase bookworm "$here/base.new" http://deb.debian.org/debian > "$here/base.log" 2>&1
    printf '#!/bin/sh\nexit 101\n' > "$here/base.new/usr/sbin/policy-rc.d"
    chmod +x "$here/base.new/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf "$here/base.new/etc/resolv.conf"
    {
        in_tree "$here/base.new" dpkg --add-architecture i386
        in_tree "$here/base.new" apt-get update
        in_tree "$here/base.new" apt-get install -y --no-install-recommends libc6:i386
        # shellcheck disable=SC2086
        in_tree "$here/base.new" apt-get install -y --no-install-recommends --download-only $distribution
    } >> "$here/base.log" 2>&1
    mv "$here/base.new" "$here/base"
}

make_full() {
    rm -rf "$here/full" "$here/work"
    mkdir -p "$here/full.new" "$here/work" "$root"
    mount -t overlay overlay -o "lowerdir=$here/base,upperdir=$here/full.new,workdir=$here/work" "$root"
    # shellcheck disable=SC2086
    in_tree "$root" apt-get install -y -o Dpkg::Use-Pty=0 --no-install-recommends $distribution > "$here/full.log" 2>&1
    umount "$root"
    rm -rf "$here/work"
    mv "$here/full.new" "$here/full"
}

# begin base|full: a fresh root, with the packages, the null driver and the client in /test.
begin() {
    end
    lower=$here/base
    if [ "$1" = full ]; then lower=$here/full:$lower; fi
    mkdir -p "$here/upper" "$here/work" "$root"
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=$here/upper,workdir=$here/work" "$root"
    mount -t proc proc "$root/proc"
    cp -r "$here/test" "$root/test"
}

end() {
    if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
    if mountpoint -q "$root"; then umount "$root"; fi
    rm -rf "$here/upper" "$here/work"
}
trap end EXIT
trap 'exit 1' INT TERM

# ---- packages: those of build/deb, their next release, and the next release of libvulkan1 ----------------------------

# again FILE VERSION OLD NEW: a package once more with another version, and with the library renamed.
again() {
    rm -rf "$here/again"
    dpkg-deb -R "$1" "$here/again"
    sed -i "s/^Version: .*/Version: $2/" "$here/again/DEBIAN/control"
    find "$here/again" -name "libvulkan.so.$3" | while read -r file; do
        mv "$file" "${file%"$3"}$4"
        printf next >> "${file%"$3"}$4" # other bytes, after the end of the library
        ln -sfT "libvulkan.so.$4" "$(dirname "$file")/libvulkan.so.1"
    done
    (cd "$here/again" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
    dpkg-deb -b "$here/again" "$here/test/next/" > /dev/null
}

make_test() {
    rm -rf "$here/test"
    mkdir -p "$here/test/next" "$here/test/64" "$here/test/32"
    for p in libvulkan1-vkloader vkloader vkloader-dev; do
        for a in amd64 i386; do cp "build/deb/${p}_${version}_$a.deb" "$here/test"; done
    done
    vulkan=$(dpkg-deb -c "build/deb/libvulkan1-vkloader_${version}_amd64.deb" | sed -n 's/.*libvulkan\.so\.\(1\.4\.[0-9]*\)$/\1/p' |
        head -n 1)
    for a in amd64 i386; do
        again "$here/test/libvulkan1-vkloader_${version}_$a.deb" "$next" "$vulkan" 1.4.999
        file=$(ls "$here"/base/var/cache/apt/archives/libvulkan1_*_$a.deb)
        old=$(dpkg-deb -c "$file" | sed -n 's/.*libvulkan\.so\.\(1\.[0-9.]*\)$/\1/p' | head -n 1)
        # A loader that is newer than ours.
        again "$file" 1.4.400.0-1 "$old" 1.4.400
    done
    make -s -j"$(nproc)" drivers > "$here/log"
    make -s -j"$(nproc)" TARGET=i386 drivers > "$here/log"
    cp build/drivers/* "$here/test/64"
    cp build/i386/drivers/* "$here/test/32"
    gcc -D_GNU_SOURCE -Wall -Wextra -Werror -o "$here/test/64/client" test/packages/client.c
    gcc -m32 -D_GNU_SOURCE -Wall -Wextra -Werror -o "$here/test/32/client" test/packages/client.c
}

# ---- what is done and looked at in a root ----------------------------------------------------------------------------

fail() {
    echo "test-packages: $case: $*" >&2
    failed=$((failed + 1))
}

# quiet COMMAND: in the root; its output only when it fails.
quiet() {
    if ! in_tree "$root" "$@" > "$here/log" 2>&1; then
        fail "$* failed:"
        tail -n 15 "$here/log" >&2
    fi
}
apt() { quiet apt-get -y -o Dpkg::Use-Pty=0 --no-install-recommends "$@"; }
ours() { echo "/test/${1}_${version}_$2.deb"; }

# gets WORDSIZE FILE: programs get that file, also after ldconfig has run.
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
directory() { if [ "$1" = 64 ]; then echo $lib64; else echo $lib32; fi; }

# verified: dpkg finds every package's files as they should be.
verified() {
    told=$(in_tree "$root" dpkg --verify 2>&1) || :
    [ -z "$told" ] || fail "dpkg --verify: $told"
    told=$(in_tree "$root" dpkg --audit 2>&1) || :
    [ -z "$told" ] || fail "dpkg --audit: $told"
}

# as_before WORDSIZE...: nothing of ours is left, and the distribution's files are those of its package.
as_before() {
    verified
    told=$(find "$root/usr/lib" "$root/etc" "$root/var/lib/dpkg/info" -path "$root/usr/lib/python3*" -prune -o \
        \( -name '*vkloader*' -o -name '*.distrib' \) -print)
    [ -z "$told" ] || fail "left behind: $told"
    told=$(in_tree "$root" dpkg-divert --list '*vulkan*')
    [ -z "$told" ] || fail "left behind: $told"
    for size; do
        d=$(directory "$size")
        [ "$(readlink "$root$d/libvulkan.so.1")" = "libvulkan.so.$old" ] ||
            fail "$d/libvulkan.so.1 is $(readlink "$root$d/libvulkan.so.1" || echo missing)"
        cmp "$here/full$d/libvulkan.so.$old" "$root$d/libvulkan.so.$old" || fail "$d/libvulkan.so.$old has changed"
        gets_theirs "$size"
    done
}

case_of() {
    case=$1
    echo "test-packages: $case"
    begin "$2"
}

# ---- cases -----------------------------------------------------------------------------------------------------------

together() {
    case_of "installed together with what it stands before, both word sizes" base
    # shellcheck disable=SC2046
    apt install libvulkan1 libvulkan1:i386 $(ours libvulkan1-vkloader amd64) $(ours libvulkan1-vkloader i386) \
        "$(ours vkloader amd64)"
    gets_ours 64
    gets_ours 32
    verified
    apt purge libvulkan1-vkloader libvulkan1-vkloader:i386 vkloader
    as_before 64 32
}

real_driver() {
    case_of "vulkaninfo on lavapipe, and one word size after the other" full
    gets_theirs 64
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours vkloader amd64)" "$(ours vkloader-dev amd64)"
    gets_ours 64
    gets_theirs 32
    verified
    quiet vulkaninfo --summary
    grep -q llvmpipe "$here/log" || fail "vulkaninfo shows no llvmpipe: $(tail -n 5 "$here/log")"
    quiet vkloader info
    # The driver service is there, and nobody has enabled it.
    [ -e "$root/lib/systemd/system/vkloader.socket" ] || fail "there is no vkloader.socket"
    told=$(find "$root/etc" -name '*vkloader*')
    [ -z "$told" ] || fail "enabled: $told"
    apt install "$(ours libvulkan1-vkloader i386)"
    gets_ours 64
    gets_ours 32
    verified
    # libvulkan-dev's link leads to what is in force.
    [ "$(in_tree "$root" readlink -f $lib64/libvulkan.so)" = "$lib64/vkloader/libvulkan.so.$vulkan" ] || fail "libvulkan.so"
    apt remove libvulkan1-vkloader
    gets_theirs 64
    gets_ours 32
    apt remove libvulkan1-vkloader:i386
    apt purge vkloader # which has a script for that: its units may have been enabled
    as_before 64 32
}

side_by_side() {
    case_of "a 64-bit and a 32-bit program side by side" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    for size in 64 32; do start "$size"; done
    for size in 64 32; do finish "$size" "$(directory $size)/vkloader/libvulkan.so.$vulkan"; done
}

# start WORDSIZE: the client, which has mapped the library and waits. finish WORDSIZE FILE: it goes on, and had that file.
start() {
    rm -f "$here/pipe$1"
    mkfifo "$here/pipe$1"
    in_tree "$root" env "VK_DRIVER_FILES=/test/$1/null_icd.json" "/test/$1/client" < "$here/pipe$1" > "$here/said$1" 2>&1 &
    eval "client$1=$!"
    if [ "$1" = 64 ]; then exec 8> "$here/pipe$1"; else exec 9> "$here/pipe$1"; fi
    for _ in $(seq 50); do
        if grep -q library "$here/said$1"; then break; fi
        sleep 1
    done
}
finish() {
    # A line, and not the end: another client has the pipe open, too.
    if [ "$1" = 64 ]; then echo >&8 && exec 8>&-; else echo >&9 && exec 9>&-; fi
    eval "wait \$client$1" || fail "the running $1-bit client failed"
    [ "$(cat "$here/said$1")" = "library $2
devices 1" ] || fail "the running $1-bit client says: $(cat "$here/said$1")"
}

upgrade_under_programs() {
    case_of "an upgrade under running programs, which make their first call after it" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    for size in 64 32; do start "$size"; done
    apt install "/test/next/libvulkan1-vkloader_${next}_amd64.deb" "/test/next/libvulkan1-vkloader_${next}_i386.deb"
    for size in 64 32; do finish "$size" "$(directory $size)/vkloader/libvulkan.so.$vulkan"; done
    gets_ours 64 1.4.999
    gets_ours 32 1.4.999
    verified
    [ ! -e "$root$lib64/vkloader/libvulkan.so.$vulkan" ] || fail "the old library is left"
    case="removal under a running program"
    start 64
    apt remove libvulkan1-vkloader libvulkan1-vkloader:i386
    finish 64 $lib64/vkloader/libvulkan.so.1.4.999
    as_before 64 32
}

switch() {
    case_of "switching, and upgrades of either side afterwards" full
    apt remove libvulkan-dev # it wants exactly the libvulkan1 of its own release
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)" "$(ours vkloader amd64)"
    start 64
    quiet vkloader system use distribution
    finish 64 "$lib64/vkloader/libvulkan.so.$vulkan"
    gets_theirs 64
    gets_theirs 32
    quiet vkloader system status
    verified
    apt install "/test/next/libvulkan1-vkloader_${next}_amd64.deb" "/test/next/libvulkan1-vkloader_${next}_i386.deb"
    gets_theirs 64
    gets_theirs 32
    apt install /test/next/libvulkan1_1.4.400.0-1_amd64.deb /test/next/libvulkan1_1.4.400.0-1_i386.deb
    gets_theirs 64 1.4.400
    gets_theirs 32 1.4.400
    quiet vkloader system use vkloader
    gets_ours 64 1.4.999
    gets_ours 32 1.4.999
    verified
    if in_tree "$root" setpriv --reuid 65534 --clear-groups vkloader system use distribution > "$here/log" 2>&1; then
        fail "somebody without rights has switched"
    fi
    in_tree "$root" setpriv --reuid 65534 --clear-groups vkloader system status > "$here/log" 2>&1 || fail "status wants root"
    apt purge libvulkan1-vkloader libvulkan1-vkloader:i386 vkloader
    gets_theirs 64 1.4.400
    verified
}

upgrade_distribution() {
    case_of "an upgrade of libvulkan1, to a newer one than ours, leaves ours in force" full
    apt remove libvulkan-dev
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    apt install /test/next/libvulkan1_1.4.400.0-1_amd64.deb /test/next/libvulkan1_1.4.400.0-1_i386.deb
    gets_ours 64
    gets_ours 32
    verified
    apt remove libvulkan1-vkloader libvulkan1-vkloader:i386
    gets_theirs 64 1.4.400
    gets_theirs 32 1.4.400
    verified
}

# Every order in which three packages can go, by dpkg, which is told not to mind dependencies.
orders() {
    for action in --remove --purge; do
        for order in "libvulkan1-vkloader libvulkan1 libvulkan-dev" "libvulkan1-vkloader libvulkan-dev libvulkan1" \
            "libvulkan1 libvulkan1-vkloader libvulkan-dev" "libvulkan1 libvulkan-dev libvulkan1-vkloader" \
            "libvulkan-dev libvulkan1-vkloader libvulkan1" "libvulkan-dev libvulkan1 libvulkan1-vkloader"; do
            case_of "dpkg $action: $order" full
            apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)" "$(ours vkloader-dev amd64)"
            for p in $order; do
                if [ "$p" = libvulkan1-vkloader ]; then quiet dpkg "$action" vkloader-dev; fi
                quiet dpkg --force-depends "$action" "$p:amd64"
                if [ "$p" = libvulkan1 ] && [ -e "$root$lib64/vkloader" ]; then gets_ours 64; fi
            done
            gets_ours 32
            told=$(find "$root$lib64" "$root/etc/ld.so.conf.d" -name '*libvulkan.so*' -o -name '*vkloader*')
            [ -z "$told" ] || fail "left behind: $told"
            # And back: what was taken away by force comes again.
            apt -f install libvulkan1:amd64
            gets_theirs 64
            apt "${action#--}" libvulkan1-vkloader:i386
            as_before 64 32
        done
    done
}

with_programs() {
    case_of "apt removes what depends on it, and reinstalls" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours vkloader amd64)"
    apt purge mesa-vulkan-drivers
    gets_ours 64
    apt purge vulkan-tools
    apt install --reinstall "$(ours libvulkan1-vkloader amd64)"
    gets_ours 64
    verified
    apt remove libvulkan1:amd64
    [ ! -e "$root$lib64/vkloader" ] || fail "libvulkan1-vkloader has stayed without libvulkan1"
    apt install libvulkan1 mesa-vulkan-drivers libvulkan-dev
    apt purge vkloader
    as_before 64 32
}

# A broken-off installation is taken up again: after each step of the script, as if the machine had been switched off.
broken_off() {
    for step in cp ln mv dpkg-divert; do
        case_of "an installation that breaks off at $step, and goes on" full
        mkdir "$root/test/broken"
        # shellcheck disable=SC2016 # the shell in there expands it
        printf '#!/bin/sh\nkill -9 $PPID\n' > "$root/test/broken/$step"
        chmod +x "$root/test/broken/$step"
        if [ $step = dpkg-divert ]; then # asked whether there is a diversion it answers
            # shellcheck disable=SC2016
            printf '#!/bin/sh\ncase $1 in --list*) exec /usr/bin/dpkg-divert "$@" ;; esac\nkill -9 $PPID\n' > "$root/test/broken/$step"
        fi
        if in_tree "$root" env PATH=/test/broken:/usr/sbin:/usr/bin:/sbin:/bin dpkg -i "$(ours libvulkan1-vkloader amd64)" \
            > "$here/log" 2>&1; then
            fail "it did not break off"
        fi
        in_tree "$root" env VK_DRIVER_FILES=/test/64/null_icd.json /test/64/client < /dev/null > "$here/log" 2>&1 ||
            fail "meanwhile a program found no loader: $(cat "$here/log")"
        quiet dpkg --configure -a
        gets_ours 64
        verified
        quiet dpkg --remove libvulkan1-vkloader
        as_before 64 32
    done
}

# A loader of make install comes first, and the tool says so.
beside_make_install() {
    case_of "beside a loader below /usr/local" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours vkloader amd64)"
    cp "$root$lib64/vkloader/libvulkan.so.$vulkan" "$root/usr/local/lib/libvulkan.so.1.4.7"
    quiet ldconfig
    gets 64 /usr/local/lib/libvulkan.so.1.4.7
    quiet vkloader system status
    grep -q /usr/local/lib/libvulkan.so.1 "$here/log" || fail "status does not name it: $(cat "$here/log")"
}

linted() {
    case="lintian"
    echo "test-packages: $case"
    for a in amd64 i386 arm64; do
        if [ -e "build/deb/vkloader_${version}_$a.changes" ]; then
            lintian --allow-root --fail-on error,warning "build/deb/vkloader_${version}_$a.changes" > "$here/log" 2>&1 ||
                fail "$a: $(cat "$here/log")"
        fi
    done
}

mkdir -p "$here"
end
[ -d "$here/base" ] || make_base
[ -d "$here/full" ] || make_full
make_test
for name in ${CASES:-linted together real_driver side_by_side upgrade_under_programs switch upgrade_distribution orders \
    with_programs broken_off beside_make_install}; do
    "$name"
done
if [ $failed -gt 0 ]; then
    echo "test-packages: $failed failed" >&2
    exit 1
fi
echo "test-packages: all is well"
