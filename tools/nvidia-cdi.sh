#!/bin/sh
# nvidia-cdi.sh applies a CDI file by hand. For each device of this machine it makes a root with a C library, this
# loader and the tool, and with the nodes, mounts and hook of that device alone. It prints the devices that a program
# gets there, and the output of "cdi why". Needs root, awk, unshare and mount, and the tool and library in build/.
# DEVICES: the devices to try, by default all. ROOT: another root to use, such as a Debian with vulkan-tools;
# "vulkaninfo --summary" is then run, too.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || {
    echo "nvidia-cdi: needs root, for mounts" >&2
    exit 1
}
if [ "${1:-}" != inside ]; then exec unshare -m "$0" inside; fi
mount --make-rprivate /
work=$(mktemp -d)
# A run that failed early has mounted nothing.
trap 'umount -R -l "$work/root" 2> /dev/null || :; rm -rf --one-file-system "$work"' EXIT
tool=$PWD/build/vkloader
file=$work/vkloader.yaml
failed=0

# Makes a root with the files that programs need, and without a driver.
make_root() {
    mkdir -p "$work/root"
    mount -t tmpfs -o mode=0755 tmpfs "$work/root"
    root=$work/root
    if [ -n "${ROOT:-}" ]; then
        mkdir -p "$work/root/upper" "$work/root/work" "$work/root/merged"
        mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$work/root/upper,workdir=$work/root/work" \
            "$work/root/merged"
        root=$work/root/merged
    else
        libraries=$root/usr/lib/x86_64-linux-gnu
        mkdir -p "$libraries" "$root/lib64"
        ln -s usr/lib "$root/lib"
        for name in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1 libstdc++.so.6; do
            from=$(ldconfig -p | awk -v name="$name" '$1 == name && /x86-64/ { print $NF; exit }')
            [ -z "$from" ] || cp -L "$from" "$libraries/$name"
        done
        cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
        cp build/libvulkan.so.1 "$libraries/"
    fi
    mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/run/vkloader" "$root/test/libexec/vkloader"
    cp "$tool" "$root/test/"
    cp build/libexec/vkloader/probe "$root/test/libexec/vkloader/"
    mount -t proc proc "$root/proc" 2> /dev/null || mount --rbind /proc "$root/proc"
    mkdir -p "$root/sys"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
    mount -t tmpfs -o mode=0755 tmpfs "$root/run/vkloader"
}

# bind FROM TO mounts FROM at TO, a path in the root.
bind() {
    mkdir -p "$root$(dirname "$2")"
    if [ -d "$1" ]; then mkdir -p "$root$2"; else : > "$root$2"; fi
    mount --bind "$1" "$root$2"
}

# nodes DEVICE prints the nodes of a device in the CDI file.
nodes() {
    awk -v want="$1" '/^  - name: / { gsub(/"/, "", $3); here = $3 == want } /^[a-z]/ { here = 0 } here && /path: \/dev/ { print $NF }' "$file"
}

try() {
    echo "== $1"
    make_root
    awk '/hostPath: \// { from = $NF } /containerPath: / && from != "" { print from, $NF; from = "" }' "$file" > \
        "$work/mounts"
    while read -r from to; do bind "$from" "$to"; done < "$work/mounts"
    for node in /dev/null /dev/zero /dev/urandom $(nodes "$1"); do bind "$node" "$node"; done
    echo "{\"root\":{\"path\":\"$root\"}}" > "$work/config.json"
    echo "{\"ociVersion\":\"1.0.2\",\"bundle\":\"$work\"}" | "$tool" cdi hook
    chroot "$root" /test/vkloader cdi why || failed=1
    cp build/libvulkan.so.1 "$root/test/"
    chroot "$root" /test/vkloader list devices || failed=1
    if [ -n "${ROOT:-}" ]; then chroot "$root" vulkaninfo --summary | sed -n '/^Devices:/,$p' || failed=1; fi
    cat "$root"/etc/nvidia/nvidia-application-profiles-rc.d/10-vkloader.conf 2> /dev/null ||
        : # only NVIDIA's driver has this file
    umount -R -l "$work/root" # a child that is ending may still use it
}

"$tool" cdi generate --hook "$tool" -o "$file"
"$tool" cdi verify "$file"
"$tool" cdi list --directory "$work"
for device in ${DEVICES:-$(awk '/^  - name: / { gsub(/"/, "", $3); print $3 }' "$file")}; do try "$device"; done
exit $failed
