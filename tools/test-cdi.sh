#!/bin/sh
# "make test-cdi" runs containers of Podman with a CDI file of the tool, in a Debian 12 without a driver. The container's
# own loader gets the host's lavapipe. An image committed from a container contains no file of the host. If a driver, a
# library or the tool is removed, containers still start, and "cdi why" prints the reason.
#
# The root is that of "make test-service", in $SERVICE_ROOTS or below build/service; debootstrap makes it once. The drivers are
# this machine's, in overlayfs layers, so that the test can remove them. Needs root, podman, and runc or crun ($RUNC); installs
# nothing. The script has separate mount and process namespaces.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
of=test-cdi
here=$PWD/build/cdi
# shellcheck source=tools/cases.sh
. tools/cases.sh
if [ -z "${RUNC:-}" ]; then RUNC=$(command -v runc || command -v crun || echo runc); fi
for program in podman "$RUNC" debootstrap; do
    command -v "$program" > /dev/null || {
        echo "test-cdi: skipped: there is no $program"
        exit 0
    }
done
if [ "${1:-}" != inside ]; then
    exec unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$0" inside; fi
mount -t tmpfs -o mode=755 tmpfs /run
# crun supports version 2 of control groups, or version 1, but no mixture.
if [ -d /sys/fs/cgroup/unified ]; then
    umount -l /sys/fs/cgroup
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
roots=${SERVICE_ROOTS:-$PWD/build/service}
kind=vkloader.test/gpu
file=/var/run/cdi/vkloader-test-cdi.yaml

finish() {
    rm -f "$file"
    podman --root "$here/podman" --runroot "$here/runroot" rm -af > "$here/log" 2>&1 ||
        : # the root is removed with what is left
    if mountpoint -q "$here/host"; then umount "$here/host"; fi
    rm -rf "$here/upper" "$here/work"
}
trap finish EXIT
trap 'exit 1' INT TERM

pod() { podman --root "$here/podman" --runroot "$here/runroot" --cgroup-manager cgroupfs --runtime "$RUNC" "$@"; }

# run OPTION... IMAGE COMMAND... runs a container with its output in the log.
run() {
    pod run --cgroups disabled --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network none -v \
        "$here/vkloader:/usr/bin/vkloader:ro" "$@" > "$here/log" 2>&1
}

refresh() { "$here/tool" cdi refresh --directory /var/run/cdi > "$here/refreshed" 2>&1 ||
    fail "refresh: $(cat "$here/refreshed")"; }

mkdir -p "$here" /var/run/cdi
finish
mkdir -p "$here/host" "$here/upper" "$here/work"
cp build/vkloader "$here/vkloader"
cp build/vkloader "$here/tool"
mount -t overlay overlay -o "lowerdir=/,upperdir=$here/upper,workdir=$here/work" "$here/host"
make_debian "$roots/debian12" bookworm vulkan-tools,libvulkan1
tar -C "$roots/debian12" --exclude './usr/lib/*/libvulkan_*' --exclude './usr/share/vulkan/icd.d/*' -c . |
    pod import - debian12 > "$here/log" 2>&1

case_of "the image's own loader gets lavapipe"
"$here/tool" cdi generate --kind $kind --driver-root "$here/host" -o "$file" 2> "$here/log" ||
    fail "generate: $(cat "$here/log")"
run --name one --device $kind=all debian12 vulkaninfo --summary || fail "vulkaninfo ends with $?"
says llvmpipe

case_of "a committed image has nothing of the host"
pod commit -q one committed > "$here/log" 2>&1
run --rm committed find / -xdev '(' -name 'host-*' -o -lname '*vkloader*' -o -path '/run/vkloader/*' ')' ||
    fail "find ends with $?"
[ ! -s "$here/log" ] || fail "left in the image: $(cat "$here/log")"
run --rm --device $kind=all committed vulkaninfo --summary || fail "vulkaninfo in the committed image ends with $?"
says llvmpipe

case_of "a container that is started again has its drivers again"
pod start -a one > "$here/log" 2>&1 || fail "the second start ends with $?"
says llvmpipe

case_of "in a file system that may not be written"
run --rm --read-only --device $kind=all debian12 vulkaninfo --summary || fail "vulkaninfo ends with $?"
says llvmpipe

case_of "a driver is removed: refreshed, containers start without it, and why says so"
library=$(find "$here/host/usr/lib" -name libvulkan_lvp.so)
mv "$library" "$library.away"
refresh
run --rm --device $kind=all debian12 sh -c 'echo started; vkloader cdi why' || : # judged by its output
says started
says "its library"
says "in no directory that the dynamic linker searches"
mv "$library.away" "$library"
refresh
run --rm --device $kind=all debian12 vulkaninfo --summary || fail "vulkaninfo ends with $?"
says llvmpipe

case_of "the tool is gone: containers start, and why says so"
mv "$here/tool" "$here/tool.away"
run --rm --device $kind=all debian12 sh -c 'echo started; vkloader cdi why' || : # judged by its output
says started
says "did not run when this container was created"
mv "$here/tool.away" "$here/tool"

case_of "what an image lacks is named, on the container's standard error and by why"
if [ -d "$roots/debian11" ]; then
    tar -C "$roots/debian11" --exclude './usr/lib/*/libvulkan_*' --exclude './usr/share/vulkan/icd.d/*' -c . |
        pod import - debian11 > "$here/log" 2>&1
    run --name eleven --device $kind=all debian11 echo started || : # judged by its output
    pod logs eleven > "$here/log" 2>&1 # an attached terminal comes later than the hook
    says "vkloader: not in the container: lvp_icd"
    run --rm --device $kind=all debian11 vkloader cdi why || : # judged by its output
    says "needs GLIBC"
    says "apt-get install -y mesa-vulkan-drivers"
else
    skip "there is no root of Debian 11"
fi

echo "test-cdi: with $("$RUNC" --version | head -n 1)"
finished
