#!/bin/sh
# "make test-service": runs programs in Debian 12, Debian 11 and a musl system without a Vulkan driver, with this
# library and the mounted socket of a driver service, and checks the messages where that cannot work.
#
# debootstrap makes the roots once, in $SERVICE_ROOTS or in build/service; without the network and without them the case
# is skipped with a reason. Every case gets its root in overlayfs layers. Needs root; it installs nothing here, and
# skips a case if a program is missing.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
of=test-service
here=$PWD/build/service
# shellcheck source=tools/cases.sh
. tools/cases.sh
roots=${SERVICE_ROOTS:-$here}
root=$here/root
tool=$PWD/build/vkloader
manifest=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
libraries=usr/lib/x86_64-linux-gnu
children=

# ---- roots -----------------------------------------------------------------------------------------------------------

# begin ROOT makes a case's root at $root, with the socket.
begin() {
    end
    mkdir -p "$here/upper" "$here/work" "$root"
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$here/upper,workdir=$here/work" "$root"
    mkdir -p "$root/proc" "$root/run/vkloaderd" "$root/tmp/.X11-unix" "$root/test"
    mount -t proc proc "$root/proc"
    mount --bind "$here/run" "$root/run/vkloaderd"
    mount -o remount,bind,ro "$root/run/vkloaderd"
}

end() {
    for m in tmp/.X11-unix run/vkloaderd proc .; do
        if mountpoint -q "$root/$m"; then umount "$root/$m"; fi
    done
    rm -rf "$here/upper" "$here/work"
}

# Unmounts and stops the service: a bind mount would disturb the next case, and the service would outlive its socket.
finish() {
    end
    for child in $children; do kill "$child" 2> /dev/null || :; done # some have ended
}
trap finish EXIT
trap 'exit 1' INT TERM

in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C XDG_RUNTIME_DIR=/tmp "$@"; }

# ---- cases -----------------------------------------------------------------------------------------------------------

debian12() {
    case_of "Debian 12 without a driver: vulkaninfo and vkcube on the outside's lavapipe"
    make_debian "$roots/debian12" bookworm vulkan-tools,libvulkan1 || {
        skip "no root, and debootstrap cannot make one"
        return
    }
    begin "$roots/debian12"
    rm -f "$root/$libraries/libvulkan.so.1"
    cp build/libvulkan.so.1 "$root/$libraries/libvulkan.so.1"
    [ ! -e "$root/usr/share/vulkan/icd.d" ] || fail "the root has drivers of its own"
    LD_LIBRARY_PATH=$PWD/build VK_DRIVER_FILES=$manifest vulkaninfo --summary 2> /dev/null |
        sed -n '/^Devices:/,$p' > "$here/outside"
    in_root vulkaninfo --summary > "$here/log" 2>&1 || fail "vulkaninfo fails"
    sed -n '/^Devices:/,$p' "$here/log" > "$here/inside"
    says llvmpipe
    cmp -s "$here/outside" "$here/inside" || fail "other devices inside: $(diff "$here/outside" "$here/inside")"
    if command -v Xvfb > /dev/null; then
        Xvfb :77 -screen 0 640x480x24 -nolisten tcp > "$here/xvfb" 2>&1 &
        children="$children $!"
        for _ in $(seq 20); do
            if [ -S /tmp/.X11-unix/X77 ]; then break; fi
            sleep 1
        done
        mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
        in_root DISPLAY=:77 VK_LOADER_DEBUG=error,warn timeout 300 vkcube --c 30 > "$here/log" 2>&1 ||
            fail "vkcube ends with $?"
        says "Selected GPU 0: llvmpipe"
    else
        skip "vkcube: there is no Xvfb"
    fi
}

# Builds the library in Debian 11 with that system's compiler, from the archive of "make dist".
debian11() {
    case_of "Debian 11: what lavapipe wants of its libraries is named"
    make_debian "$roots/debian11" bullseye vulkan-tools,libvulkan1,gcc,libc6-dev,make || {
        skip "no root, and debootstrap cannot make one"
        return
    }
    begin "$roots/debian11"
    make -s TARGET= dist DIST="$here" > "$here/log"
    tar -x -C "$root/test" --strip-components=1 -f "$(tail -n 1 "$here/log")"
    in_root make -s -C /test TARGET= spine core > "$here/log" 2>&1 ||
        fail "the library cannot be built: $(tail -n 5 "$here/log")"
    rm -f "$root/$libraries/libvulkan.so.1"
    cp "$root/test/build/libvulkan.so.1" "$root/$libraries/libvulkan.so.1"
    in_root VK_LOADER_DEBUG=error,warn vulkaninfo --summary > "$here/log" 2>&1 || : # an old one ends with 0 in any case
    if ! grep -q llvmpipe "$here/log"; then
        grep -q "version \`GLIBC[A-Z]*_[0-9.]*' not found (required by" "$here/log" ||
            fail "no version of a library is named: $(tail -n 12 "$here/log")"
        grep -o "version \`GLIBC[A-Z]*_[0-9.]*' not found (required by [^)]*)" "$here/log" | sort -u | head -n 3
    fi
}

musl() {
    case_of "musl: drivers for glibc are refused with a reason"
    command -v musl-gcc > /dev/null || {
        skip "there is no musl-gcc"
        return
    }
    make -s TARGET=musl spine > "$here/log"
    rm -rf "$here/musl"
    mkdir -p "$here/musl/lib" "$here/musl/usr/lib" "$here/musl/bin"
    cp /lib/x86_64-linux-musl/libc.so "$here/musl/lib/ld-musl-x86_64.so.1"
    cp build/musl/libvulkan.so.1 "$here/musl/usr/lib/"
    musl-gcc -D_GNU_SOURCE -o "$here/musl/bin/client" test/lib/bin/client.c
    begin "$here/musl"
    # The root has no env command; the environment is set outside.
    if env -i "PATH=$PATH" VK_LOADER_DEBUG=error,warn chroot "$root" /bin/client < /dev/null > "$here/log" 2>&1; then
        fail "it has a driver: $(cat "$here/log")"
    fi
    says "devices 0"
    says "libvulkan_lvp.so"
    says "drivers are built for glibc as a rule, and this program has another C library"
    grep -o "Error .*" "$here/log" | sort -u | head -n 3
}

mkdir -p "$here/run"
end
"$tool" service run --directory "$here/run" --env "VK_DRIVER_FILES=$manifest" > "$here/served" 2>&1 &
children=$!
for _ in $(seq 20); do
    if "$tool" service status --socket "$here/run/loader.sock" > /dev/null 2>&1; then break; fi
    sleep 1
done
for name in ${CASES:-debian12 debian11 musl}; do
    "$name"
done
finished
