#!/bin/sh
# "make test TARGET=windows" builds for Windows, makes a separate Debian with Wine, once, in WINDOWS_ROOT (by default
# vkloader-windows in the directory for temporary files), and runs there the tests of the DLL and the suites for every
# system, in both word sizes, or in that of WINDOWS_SIZES (x64 or x86). WINDOWS_DEBIAN: the Debian release, by default
# trixie, or stable if trixie cannot be installed. test/loader/target/windows.txt lists the skipped tests, which are
# printed. Needs root.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
# A 32-bit Wine is an i386 program, which the kernel must be able to run without an emulator.
if [ -n "$(tools/emulator.sh i386 2> /dev/null || echo missing)" ]; then
    case ${WINDOWS_SIZES:-} in
    "")
        export WINDOWS_SIZES=x64
        echo "test: windows leaves out: x86, because this machine's kernel runs no programs of i386"
        ;;
    *x86*)
        echo "test: this machine's kernel runs no programs of i386, and so Wine none for x86: WINDOWS_SIZES=x64" >&2
        exit 1
        ;;
    esac
fi
root=${WINDOWS_ROOT:-${TMPDIR:-/tmp}/vkloader-windows}
display=:77
sizes=${WINDOWS_SIZES:-x64 x86}
packages="wine wine64 xvfb mesa-vulkan-drivers libvulkan1"
foreign=
case $sizes in
*x86*)
    foreign=i386
    packages="$packages wine32:i386 mesa-vulkan-drivers:i386 libvulkan1:i386 libgl1:i386 libglx-mesa0:i386"
    ;;
esac
ready=$root/ready${WINDOWS_SIZES:+-$WINDOWS_SIZES}

tools/packages.sh test debootstrap gcc-mingw-w64-x86-64-win32 gcc-mingw-w64-i686-win32 groff-base
if [ "$(id -u)" != 0 ]; then
    echo "test: the Debian with Wine is made and entered by root" >&2
    exit 1
fi
make -s -j"$(nproc)" TARGET=windows spine tool layers fakes dist
# The DLL for Windows on Arm is built but not run.
tools/zig.sh > /dev/null
make -s -j"$(nproc)" TARGET=windows/arm64 spine

GOOS=windows "${GO:-go}" vet ./cmd/... ./internal/tool/...

# debian DIRECTORY SUITE makes a Debian with Wine for programs of one word size, or reuses the one in the directory.
# shellcheck disable=SC2086 # the packages are words
debian() {
    { [ -x "$1/usr/bin/apt-get" ] || debootstrap --variant=minbase --include=ca-certificates "$2" "$1"; } &&
        { [ -z "$foreign" ] || chroot "$1" dpkg --add-architecture "$foreign"; } &&
        chroot "$1" apt-get update &&
        chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
}
# installed DIRECTORY SUITE calls debian with its output in a file, and prints the end of the file if it fails.
installed() {
    echo "test: installing a Debian ($2) with Wine into $root; this takes minutes and 2 GB"
    if debian "$1" "$2" > "$root.log" 2>&1 < /dev/null; then return; fi
    tail -n 12 "$root.log" >&2
    echo "test: that failed; all of it is in $root.log" >&2
    return 1
}
if [ ! -e "$root/ready" ] && [ ! -e "$ready" ]; then
    made=
    if [ -x "$root/usr/bin/apt-get" ]; then
        if installed "$root" "the one that is there"; then made=1; fi
    else
        # Debian 13 has two names. While a mirror is updated, one of them may have a package list without a valid
        # signature.
        for suite in ${WINDOWS_DEBIAN:-trixie stable}; do
            rm -rf --one-file-system "$root.new"
            if installed "$root.new" "$suite"; then
                if [ -d "$root" ]; then rmdir "$root"; fi
                mv "$root.new" "$root"
                made=1
                break
            fi
        done
    fi
    if [ -z "$made" ]; then
        echo "test: a mirror that is being updated may be complete again in an hour. WINDOWS_SIZES=x64 needs no packages for i386;" \
            "WINDOWS_DEBIAN=SUITE takes another Debian, which needs Wine 10 or later" >&2
        exit 1
    fi
    rm -rf "$root/root/prefix" # of other packages
    touch "$ready"
fi

xvfb=
leave() {
    # Some may not have started.
    wine wineserver -k > /dev/null 2>&1 || :
    if [ -n "$xvfb" ]; then kill "$xvfb" 2> /dev/null || :; fi # as above
    umount "$root/proc" 2> /dev/null || : # as above
}
wine() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin WINEPREFIX=/root/prefix WINEDEBUG=-all \
        DISPLAY=$display \
        "WINEDLLOVERRIDES=vulkan-1=n;mscoree,mshtml=" "$@" < /dev/null
}
trap leave EXIT
# Wine finds its libraries through /proc.
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
if [ -n "$foreign" ] && ! chroot "$root" /usr/lib/wine/wine --version > /dev/null 2>&1; then
    echo "test: this machine runs no 32-bit programs, and so Wine none for x86. WINDOWS_SIZES=x64 WINDOWS_ROOT=DIRECTORY tests the other" \
        "word size, in a Debian of its own" >&2
    exit 1
fi
echo "test: Wine runs in $root"

# Worlds are at a path that is valid inside and outside of the root. Host and fakes are built once and reused.
worlds=$root/tmp/worlds
rm -rf "$worlds"
mkdir -p "$root/vkloader/build" "$root/root/prefix" "$worlds" "$root${root%/*}"
[ -e "$root$root" ] || ln -s / "$root$root"
cp -r build/windows "$root/vkloader/build/"
chroot "$root" Xvfb $display -screen 0 640x480x24 > /dev/null 2>&1 < /dev/null &
xvfb=$!
wine wineserver -p > /dev/null 2>&1 || : # one may run since an earlier run
wine wine wineboot -i > /dev/null 2>&1
for size in 64:x64 32:x86; do
    wine wine reg add 'HKLM\SOFTWARE\Khronos\Vulkan\ExplicitLayers' /t REG_DWORD /d 0 /f "/reg:${size%:*}" \
        /v "Z:\\vkloader\\build\\windows\\${size#*:}\\layers\\VkLayer_drawstats.json" > /dev/null 2>&1
done
"${GO:-go}" build -o build/progress ./tools/progress
WINDOWS_ROOT=$root build/progress -count 1 -- ./test/loader/windows

# shellcheck source=tools/suites.sh
. tools/suites.sh
leave_out windows test/loader/target/windows.txt
for machine in x64:x86_64 x86:i686; do
    case $sizes in *"${machine%:*}"*) ;; *) continue ;; esac
    echo "test: the suites, ${machine%:*}"
    # shellcheck disable=SC2086
    WINDOWS_ROOT=$root TMPDIR=$worlds TARGET=windows/${machine%:*} \
        TARGET_CC=${machine#*:}-w64-mingw32-gcc build/progress -count 1 -p 2 \
        -parallel 4 -skip "$skip" -- $suites ./test/loader/memory ./test/loader/windows/adapters \
        ./test/loader/windows/system
done
