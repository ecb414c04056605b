#!/bin/sh
# "make test-packages": installs, upgrades, switches and removes the packages of build/deb in a Debian of their own, and
# looks after every step which loader programs get, that ldconfig leaves it so, and that nothing is left behind.
#
# That Debian is made by debootstrap, once, below build/packages: "base", with the packages to install in apt's cache,
# "full", with libvulkan1 for both word sizes, libvulkan-dev, mesa-vulkan-drivers and vulkan-tools installed, and
# "arm64". Every case gets one of them in layers (overlayfs), and writes into a directory of its own. Needs root and the
# network; CASES names the functions below to run, where not all.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
tools/packages.sh test-packages debootstrap gcc-multilib dpkg-dev lintian

of=test-packages
lib64=/usr/lib/x86_64-linux-gnu
lib32=/usr/lib/i386-linux-gnu
# shellcheck source=tools/packages-root.sh
. tools/packages-root.sh
version=$(dpkg-parsechangelog -S Version)
next=$version+next1

# ---- the roots that cases begin with ---------------------------------------------------------------------------------

make_full() {
    if [ -d "$here/full" ]; then return 0; fi
    rm -rf "$here/full" "$here/work"
    mkdir -p "$here/full.new" "$here/work" "$root"
    mount -t overlay overlay -o "lowerdir=$here/base,upperdir=$here/full.new,workdir=$here/work" "$root"
    # shellcheck disable=SC2086
    in_tree "$root" apt-get install -y -o Dpkg::Use-Pty=0 --no-install-recommends $distribution > "$here/full.log" 2>&1
    umount "$root"
    rm -rf "$here/work"
    mv "$here/full.new" "$here/full"
}

# begin base|full|arm64 makes a new root with the packages, and with the null driver and the client in /test.
begin() {
    pristine=$here/full
    case $1 in
    full) on full base ;;
    arm64)
        on arm64
        pristine=$here/arm64
        ;;
    *) on "$1" ;;
    esac
}

# emulated lets the kernel run arm64 programs with tools/cross.sh's emulator, in any root, until the end of the test.
binfmt=/proc/sys/fs/binfmt_misc
handler=vkloader-test-packages
mounted=
emulated() {
    tools/cross.sh emulator arm64
    emulator=$(PATH=$PWD/build/emulators/bin:$PATH command -v qemu-aarch64)
    mountpoint -q $binfmt || {
        mount -t binfmt_misc none $binfmt
        mounted=yes
    }
    if [ ! -e $binfmt/$handler ]; then
        # Matches 64-bit ELF files for machine 183: programs and shared objects. Flag F opens the emulator now, outside
        # the roots.
        printf '%s' ":$handler:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$emulator:F" \
            > $binfmt/register
    fi
}
native() {
    if [ -e $binfmt/$handler ]; then echo -1 > $binfmt/$handler; fi
    if [ -n "$mounted" ]; then umount $binfmt; fi
    mounted=
}
trap 'end; native' EXIT

# The same Debian for arm64, with lavapipe. Its emulated programs unpack and configure it, which takes ten minutes.
make_arm64() {
    if [ -d "$here/arm64" ]; then return 0; fi
    echo "test-packages: debootstrap for arm64, emulated (once; $here/arm64)"
    rm -rf --one-file-system "$here/arm64.new"
    {
        debootstrap --foreign --arch=arm64 --variant=minbase bookworm "$here/arm64.new" http://deb.debian.org/debian
        in_tree "$here/arm64.new" /debootstrap/debootstrap --second-stage
        prepare "$here/arm64.new"
        in_tree "$here/arm64.new" apt-get update
        in_tree "$here/arm64.new" apt-get install -y --no-install-recommends libvulkan1 mesa-vulkan-drivers vulkan-tools
    } > "$here/arm64.log" 2>&1 || {
        tail -n 15 "$here/arm64.log" >&2
        exit 1
    }
    mv "$here/arm64.new" "$here/arm64"
}

# ---- packages: those of build/deb, their next release, and the next release of libvulkan1 ----------------------------

# again FILE VERSION OLD NEW repacks a package with another version and a renamed library.
again() {
    rm -rf "$here/again"
    dpkg-deb -R "$1" "$here/again"
    sed -i "s/^Version: .*/Version: $2/" "$here/again/DEBIAN/control"
    find "$here/again" -name "libvulkan.so.$3" | while read -r file; do
        mv "$file" "${file%"$3"}$4"
        printf next >> "${file%"$3"}$4" # other bytes, after the end of the library
        ln -sfT "libvulkan.so.$4" "$(dirname "$file")/libvulkan.so.1"
    done
    (cd "$here/again" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z |
        xargs -0 md5sum > DEBIAN/md5sums)
    dpkg-deb -b "$here/again" "$here/test/next/" > /dev/null
}

make_test() {
    rm -rf "$here/test"
    mkdir -p "$here/test/next" "$here/test/64" "$here/test/32"
    for p in libvulkan1-vkloader vkloader vkloader-dev; do
        for a in amd64 i386; do cp "build/deb/${p}_${version}_$a.deb" "$here/test"; done
    done
    vulkan=$(dpkg-deb -c "build/deb/libvulkan1-vkloader_${version}_amd64.deb" |
        sed -n 's/.*libvulkan\.so\.\(1\.4\.[0-9]*\)$/\1/p' |
        head -n 1)
    for a in amd64 i386; do
        again "$here/test/libvulkan1-vkloader_${version}_$a.deb" "$next" "$vulkan" 1.4.999
        file=$(ls "$here"/base/var/cache/apt/archives/libvulkan1_*_$a.deb)
        old=$(dpkg-deb -c "$file" | sed -n 's/.*libvulkan\.so\.\(1\.[0-9.]*\)$/\1/p' | head -n 1)
        # A libvulkan1 that is newer than this loader.
        again "$file" 1.4.400.0-1 "$old" 1.4.400
    done
    make_clients 64 gcc
    make_clients 32 "gcc -m32" i386
}

# Adds files and clients for the arm64 case.
make_test_arm64() {
    for p in libvulkan1-vkloader vkloader vkloader-dev; do cp "build/deb/${p}_${version}_arm64.deb" "$here/test"; done
    compiler=$(PATH=$PWD/build/cross/bin:$PATH command -v aarch64-linux-gnu-gcc)
    make_clients arm64 "$compiler" arm64
}

# ---- commands in a root ----------------------------------------------------------------------------------------------

apt() { quiet apt-get -y -o Dpkg::Use-Pty=0 --no-install-recommends "$@"; }
ours() { echo "/test/${1}_${version}_$2.deb"; }

# verified: dpkg --verify reports no changed file of any package.
verified() {
    # Both are judged by their output.
    told=$(in_tree "$root" dpkg --verify 2>&1) || :
    [ -z "$told" ] || fail "dpkg --verify: $told"
    # As above.
    told=$(in_tree "$root" dpkg --audit 2>&1) || :
    [ -z "$told" ] || fail "dpkg --audit: $told"
}

# as_before WORDSIZE...: no file of the project is left, and the distribution's files are those of its package.
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
        cmp "$pristine$d/libvulkan.so.$old" "$root$d/libvulkan.so.$old" || fail "$d/libvulkan.so.$old has changed"
        gets_theirs "$size"
    done
}

# in_new TITLE base|full|arm64 begins a case.
in_new() {
    case_of "$1"
    begin "$2"
}

# ---- cases -----------------------------------------------------------------------------------------------------------

together() {
    in_new "installed together with what it stands before, both word sizes" base
    # shellcheck disable=SC2046
    apt install libvulkan1 libvulkan1:i386 $(ours libvulkan1-vkloader amd64) $(ours libvulkan1-vkloader i386) \
        "$(ours vkloader amd64)"
    both_ours "$vulkan"
    verified
    apt purge libvulkan1-vkloader libvulkan1-vkloader:i386 vkloader
    as_before 64 32
}

real_driver() {
    in_new "vulkaninfo on lavapipe, and one word size after the other" full
    gets_theirs 64
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours vkloader amd64)" "$(ours vkloader-dev amd64)"
    gets_ours 64
    gets_theirs 32
    verified
    quiet vulkaninfo --summary
    grep -q llvmpipe "$here/log" || fail "vulkaninfo shows no llvmpipe: $(tail -n 5 "$here/log")"
    quiet vkloader list devices --details
    apt install "$(ours libvulkan1-vkloader i386)"
    both_ours "$vulkan"
    verified
    # libvulkan-dev's link leads to the library in force.
    [ "$(in_tree "$root" readlink -f $lib64/libvulkan.so)" = "$lib64/vkloader/libvulkan.so.$vulkan" ] ||
        fail "libvulkan.so"
    apt remove libvulkan1-vkloader
    gets_theirs 64
    gets_ours 32
    apt remove libvulkan1-vkloader:i386
    apt purge vkloader
    as_before 64 32
}

# Compares every file, link, mode and unit before installation, with the packages, after use and removal, and after a
# purge.
everything() {
    in_new "all packages installed, used, removed and purged: each file, link, mode and unit" full
    listing "$here/listing.before"
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)" "$(ours vkloader amd64)" \
        "$(ours vkloader-dev amd64)"
    listing "$here/listing.installed"
    units_as_documented
    same_as "$here/listing.installed"
    # Each new file belongs to a package, or is one of the links that docs/packages.md lists.
    in_tree "$root" dpkg -L libvulkan1-vkloader:amd64 libvulkan1-vkloader:i386 vkloader vkloader-dev:amd64 |
        sed 's|^|.|; s|^\./lib/|./usr/lib/|' | sort -u > "$here/owned"
    told=$(diff "$here/listing.before" "$here/listing.installed" | sed -n 's/^> \(\.\/[^ ]*\) .*/\1/p' |
        grep -vxF -f "$here/owned" |
        grep -v -e '/libvulkan\.so\.1$' -e '/libvulkan\.so\.1\.99\.vkloader$' -e '/libvulkan\.so\.1\.distrib$' -e \
        '^\./var/lib/systemd/deb-systemd-' \
            -e '^\./etc/ld\.so\.cache$') || : # grep ends with 1 if nothing is left
    [ -z "$told" ] || fail "of no package: $told"
    told=$(diff "$here/listing.before" "$here/listing.installed" | grep '^> \./' | grep -v ' l 777 ' |
        grep -v ' \(d \)\?\(644\|755\) 0:0') || : # as above
    [ -z "$told" ] || fail "modes: $told"
    enable_units
    mkdir -p "$root/etc/cdi"
    quiet vkloader cdi generate --hook /usr/bin/vkloader -o /etc/cdi/vkloader.yaml
    quiet vkloader list devices --details
    quiet vkloader doctor
    quiet vkloader run --no-layers vulkaninfo --summary
    quiet vkloader system use distribution
    # With libvulkan-dev and without vkloader-dev, vulkaninfo opens libvulkan.so; the directory that "vkloader run" uses
    # has this name, too.
    apt remove vkloader-dev
    quiet vkloader run env LD_DEBUG=files vulkaninfo --summary
    told=$(sed -n 's|.*calling init: \(.*/libvulkan\.so[^ ]*\)$|\1|p' "$here/log" | sort -u)
    case $told in
    "$lib64"/vkloader/libvulkan.so | "$lib64"/vkloader/libvulkan.so.1) ;;
    *) fail "vkloader run vulkaninfo opened $told" ;;
    esac
    quiet vkloader system use vkloader
    apt remove libvulkan1-vkloader libvulkan1-vkloader:i386 vkloader
    rmdir "$root/etc/cdi" || fail "the CDI file is there without the tool"
    same_as "$here/listing.before" ' \./var/lib/systemd\(/deb-systemd-.*\)\? '
    quiet dpkg --purge vkloader # nothing is left of the others
    same_as "$here/listing.before"
    as_before 64 32
}

cdi_files() {
    in_new "the CDI file follows the packages of drivers, and goes with the tool" full
    apt install "$(ours vkloader amd64)"
    mkdir -p "$root/etc/cdi"
    quiet vkloader cdi generate --hook /usr/bin/vkloader -o /etc/cdi/vkloader.yaml
    grep -q libvulkan_lvp "$root/etc/cdi/vkloader.yaml" || fail "the CDI file has no driver"
    apt remove mesa-vulkan-drivers
    if grep -q libvulkan_lvp "$root/etc/cdi/vkloader.yaml"; then fail "the CDI file has a driver that is gone"; fi
    quiet vkloader cdi list
    apt purge vkloader
    [ ! -e "$root/etc/cdi/vkloader.yaml" ] || fail "the CDI file is there without the tool"
}

side_by_side() {
    in_new "a 64-bit and a 32-bit program side by side" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    for size in 64 32; do start "$size"; done
    for size in 64 32; do finish "$size" "$(directory $size)/vkloader/libvulkan.so.$vulkan"; done
}

# start WORDSIZE starts the client, which maps the library and waits. finish WORDSIZE FILE lets it continue, and checks
# that it had mapped that file.
start() {
    rm -f "$here/pipe$1"
    mkfifo "$here/pipe$1"
    in_tree "$root" env "VK_DRIVER_FILES=/test/$1/null_icd.json" "/test/$1/client" < "$here/pipe$1" > "$here/said$1" \
        2>&1 &
    eval "client$1=$!"
    if [ "$1" = 64 ]; then exec 8> "$here/pipe$1"; else exec 9> "$here/pipe$1"; fi
    for _ in $(seq 50); do
        if grep -q library "$here/said$1"; then break; fi
        sleep 1
    done
}
finish() {
    # A line ends the client's wait. Closing the pipe would not, because another client has it open, too.
    if [ "$1" = 64 ]; then echo >&8 && exec 8>&-; else echo >&9 && exec 9>&-; fi
    eval "wait \$client$1" || fail "the running $1-bit client failed"
    [ "$(cat "$here/said$1")" = "library $2
devices 1" ] || fail "the running $1-bit client says: $(cat "$here/said$1")"
}

upgrade_under_programs() {
    in_new "an upgrade under running programs, which make their first call after it" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    for size in 64 32; do start "$size"; done
    apt install "/test/next/libvulkan1-vkloader_${next}_amd64.deb" "/test/next/libvulkan1-vkloader_${next}_i386.deb"
    for size in 64 32; do finish "$size" "$(directory $size)/vkloader/libvulkan.so.$vulkan"; done
    both_ours 1.4.999
    verified
    [ ! -e "$root$lib64/vkloader/libvulkan.so.$vulkan" ] || fail "the old library is left"
    case="removal under a running program"
    start 64
    apt remove libvulkan1-vkloader libvulkan1-vkloader:i386
    finish 64 $lib64/vkloader/libvulkan.so.1.4.999
    as_before 64 32
}

switch() {
    in_new "switching, and upgrades of either side afterwards" full
    apt remove libvulkan-dev # it wants exactly the libvulkan1 of its own release
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)" "$(ours vkloader amd64)"
    start 64
    quiet vkloader system use distribution
    finish 64 "$lib64/vkloader/libvulkan.so.$vulkan"
    both_theirs "$old"
    quiet vkloader system status
    verified
    apt install "/test/next/libvulkan1-vkloader_${next}_amd64.deb" "/test/next/libvulkan1-vkloader_${next}_i386.deb"
    both_theirs "$old"
    apt install /test/next/libvulkan1_1.4.400.0-1_amd64.deb /test/next/libvulkan1_1.4.400.0-1_i386.deb
    both_theirs 1.4.400
    quiet vkloader system use vkloader
    both_ours 1.4.999
    verified
    if in_tree "$root" setpriv --reuid 65534 --clear-groups vkloader system use distribution > "$here/log" 2>&1; then
        fail "somebody without rights has switched"
    fi
    in_tree "$root" setpriv --reuid 65534 --clear-groups vkloader system status > "$here/log" 2>&1 ||
        fail "status wants root"
    apt purge libvulkan1-vkloader libvulkan1-vkloader:i386 vkloader
    gets_theirs 64 1.4.400
    verified
}

upgrade_distribution() {
    in_new "an upgrade of libvulkan1, to a newer one than ours, leaves ours in force" full
    apt remove libvulkan-dev
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    apt install /test/next/libvulkan1_1.4.400.0-1_amd64.deb /test/next/libvulkan1_1.4.400.0-1_i386.deb
    both_ours "$vulkan"
    verified
    apt remove libvulkan1-vkloader libvulkan1-vkloader:i386
    both_theirs 1.4.400
    verified
}

downgrade() {
    in_new "a downgrade of ours, then of libvulkan1, leaves ours in force" full
    apt remove libvulkan-dev
    apt install "/test/next/libvulkan1-vkloader_${next}_amd64.deb" "/test/next/libvulkan1-vkloader_${next}_i386.deb" \
        /test/next/libvulkan1_1.4.400.0-1_amd64.deb /test/next/libvulkan1_1.4.400.0-1_i386.deb
    both_ours 1.4.999
    apt install --allow-downgrades "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)"
    both_ours "$vulkan"
    verified
    [ ! -e "$root$lib64/vkloader/libvulkan.so.1.4.999" ] || fail "the newer library is left"
    apt install --allow-downgrades "libvulkan1=$(in_tree "$root" apt-cache madison libvulkan1 | awk 'NR == 1 { print $3 }')" \
        "libvulkan1:i386=$(in_tree "$root" apt-cache madison libvulkan1 | awk 'NR == 1 { print $3 }')"
    both_ours "$vulkan"
    apt remove libvulkan1-vkloader libvulkan1-vkloader:i386
    both_theirs "$old"
    verified
}

# Removes three packages in every order, with dpkg, which ignores dependencies here.
orders() {
    for action in --remove --purge; do
        for order in "libvulkan1-vkloader libvulkan1 libvulkan-dev" "libvulkan1-vkloader libvulkan-dev libvulkan1" \
            "libvulkan1 libvulkan1-vkloader libvulkan-dev" "libvulkan1 libvulkan-dev libvulkan1-vkloader" \
            "libvulkan-dev libvulkan1-vkloader libvulkan1" "libvulkan-dev libvulkan1 libvulkan1-vkloader"; do
            in_new "dpkg $action: $order" full
            apt install "$(ours libvulkan1-vkloader amd64)" "$(ours libvulkan1-vkloader i386)" \
                "$(ours vkloader-dev amd64)"
            for p in $order; do
                if [ "$p" = libvulkan1-vkloader ]; then quiet dpkg "$action" vkloader-dev; fi
                quiet dpkg --force-depends "$action" "$p:amd64"
                if [ "$p" = libvulkan1 ] && [ -e "$root$lib64/vkloader" ]; then gets_ours 64; fi
            done
            gets_ours 32
            told=$(find "$root$lib64" "$root/etc/ld.so.conf.d" -name '*libvulkan.so*' -o -name '*vkloader*')
            [ -z "$told" ] || fail "left behind: $told"
            # And back: apt reinstalls the package that was removed by force.
            apt -f install libvulkan1:amd64
            gets_theirs 64
            apt "${action#--}" libvulkan1-vkloader:i386
            as_before 64 32
        done
    done
}

with_programs() {
    in_new "apt removes what depends on it, and reinstalls" full
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

# An interrupted installation is resumed, with an interruption after each step of the script, as if the machine had been
# switched off.
broken_off() {
    for step in cp ln mv dpkg-divert; do
        in_new "an installation that breaks off at $step, and goes on" full
        mkdir "$root/test/broken"
        # shellcheck disable=SC2016 # the shell in there expands it
        printf '#!/bin/sh\nkill -9 $PPID\n' > "$root/test/broken/$step"
        chmod +x "$root/test/broken/$step"
        if [ $step = dpkg-divert ]; then # asked whether there is a diversion it answers
            # shellcheck disable=SC2016
            printf '#!/bin/sh\ncase $1 in --list*) exec /usr/bin/dpkg-divert "$@" ;; esac\nkill -9 $PPID\n' > \
                "$root/test/broken/$step"
        fi
        if in_tree "$root" env PATH=/test/broken:/usr/sbin:/usr/bin:/sbin:/bin dpkg -i \
            "$(ours libvulkan1-vkloader amd64)" \
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

# A loader from "make install" takes precedence, and the tool reports it.
beside_make_install() {
    in_new "beside a loader below /usr/local" full
    apt install "$(ours libvulkan1-vkloader amd64)" "$(ours vkloader amd64)"
    cp "$root$lib64/vkloader/libvulkan.so.$vulkan" "$root/usr/local/lib/libvulkan.so.1.4.7"
    quiet ldconfig
    gets 64 /usr/local/lib/libvulkan.so.1.4.7
    quiet vkloader system status
    grep -q /usr/local/lib/libvulkan.so.1 "$here/log" || fail "status does not name it: $(cat "$here/log")"
}

# The packages for arm64 in a Debian of arm64, whose programs are emulated.
on_arm64() {
    emulated
    make_arm64
    make_test_arm64
    in_new "arm64: vulkaninfo on lavapipe, there and back" arm64
    gets_theirs arm64
    apt install "$(ours libvulkan1-vkloader arm64)" "$(ours vkloader arm64)" "$(ours vkloader-dev arm64)"
    gets_ours arm64
    verified
    quiet vulkaninfo --summary
    grep -q llvmpipe "$here/log" || fail "vulkaninfo shows no llvmpipe: $(tail -n 5 "$here/log")"
    quiet vkloader list devices --details
    grep -q llvmpipe "$here/log" || fail "vkloader list devices --details shows no llvmpipe: $(tail -n 5 "$here/log")"
    quiet vkloader system use distribution
    gets_theirs arm64
    quiet vkloader system use vkloader
    gets_ours arm64
    apt purge libvulkan1-vkloader vkloader
    as_before arm64
    native
}

linted() {
    case_of "lintian"
    for a in amd64 i386 arm64; do
        lintian --allow-root --fail-on error,warning "build/deb/vkloader_${version}_$a.changes" > "$here/log" 2>&1 ||
            fail "$a: $(cat "$here/log")"
    done
}

mkdir -p "$here"
end
make_base
make_full
make_test
for name in ${CASES:-linted together real_driver everything cdi_files side_by_side upgrade_under_programs switch upgrade_distribution downgrade orders \
    with_programs broken_off beside_make_install on_arm64}; do
    "$name"
done
finished
