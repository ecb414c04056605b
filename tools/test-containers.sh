#!/bin/sh
# "make test-containers": the commands of docs/containers.md, as they stand there, in Podman and bubblewrap: Debian 11,
# 12 and 13, 32 bits, and a system with musl; with their own loader and with this one; with a driver of their own and
# without.
#
# And Docker where its daemon is installed, of version 25 or newer, and Flatpak, with a runtime made of Debian 12.
#
# It has mounts and processes of its own: nothing that it writes to /etc, /run, /opt or Podman's storage stays. The
# systems are made by debootstrap, once, in $CONTAINER_ROOTS or below build/containers. Needs root, Podman 4.1 or newer,
# and Mesa's lavapipe on this machine. CASES="..." runs these alone.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
top=$PWD
page=$top/docs/containers.md
here=$top/build/containers
of=test-containers
# shellcheck source=tools/cases.sh
. tools/cases.sh
roots=${CONTAINER_ROOTS:-$here}
manifest=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
libraries=usr/lib/x86_64-linux-gnu
user=4301

[ -e $manifest ] || {
    echo "test-containers: there is no lavapipe here (Debian: mesa-vulkan-drivers)" >&2
    exit 1
}

# ---- systems ---------------------------------------------------------------------------------------------------------

# make_root NAME SUITE ARCHITECTURE makes a Debian with Vulkan programs and Mesa.
make_root() { make_debian "$roots/$1" "$2" vulkan-tools,libvulkan1,mesa-vulkan-drivers "$3"; }

# The rest runs in separate mount and process namespaces.
if [ "${1:-}" != inside ]; then
    mkdir -p "$here" "$roots"
    # Mirrors drop old releases. The cases of a missing one are skipped, after make_root's message.
    make_root debian11 bullseye amd64 || :
    make_root debian12 bookworm amd64
    make_root debian13 trixie amd64
    make_root debian12-i386 bookworm i386
    exec unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$0" inside
fi

work=$(mktemp -d /var/tmp/vkloader-containers.XXXXXX)
# shellcheck disable=SC2317 # by a trap
finish() {
    cd /
    umount -l "$work" 2> /dev/null || : # not mounted if it failed early
    rmdir "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM
rm -rf "${here:?}/disk"
mkdir -p "$here/disk"
mount --bind "$here/disk" "$work"
chmod 755 "$work"

# layered LOWER DIRECTORY mounts a writable layer over directories at another one, so that their files stay unchanged.
# over DIRECTORY mounts it over the directory itself.
layered() {
    mkdir -p "$2" "$work/over$2/up" "$work/over$2/work"
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$work/over$2/up,workdir=$work/over$2/work" "$2"
}
over() { layered "$1" "$1"; }

mount --make-rshared /
over /etc
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /opt
mount -t tmpfs -o mode=755 tmpfs /usr/local/bin
mkdir -p /run/lock /var/lib/containers "$work/storage"
mount --bind "$work/storage" /var/lib/containers
install -m 755 build/vkloader /usr/local/bin/vkloader
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# Podman's OCI runtimes support version 2 of control groups, or version 1, but no mixture.
if [ -d /sys/fs/cgroup/unified ]; then
    umount -l /sys/fs/cgroup
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
mkdir -p /etc/containers
cat > /etc/containers/containers.conf << END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
netns = "none"
cgroups = "disabled"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
END
rm -rf /etc/cdi
mkdir -p "$work/cwd" "$work/home" "/run/user/$user"
ln -s "$top/build" "$work/cwd/build"
cd "$work/cwd"
grep -q "^ana:" /etc/passwd || echo "ana:x:$user:$user::$work/home:/bin/sh" >> /etc/passwd
grep -q "^ana:" /etc/group || echo "ana:x:$user:" >> /etc/group
echo "ana:200000:65536" | tee /etc/subuid > /etc/subgid
chown "$user:$user" "$work/home" "/run/user/$user" "$work/cwd"
chmod 700 "/run/user/$user"

# ---- cases -----------------------------------------------------------------------------------------------------------

# block NAME prints the page's commands of that name.
block() {
    awk -v name="$1" '/^```/ { on = !on && $0 == "```sh test=" name; next } on { print; n++ } END { exit !n }' "$page" \
        ||
        echo "echo 'the page has no block $1'; exit 9"
}

# try NAME runs the page's commands as root; they may fail. try_as_user NAME runs them as the user.
try() { IMAGE=${IMAGE:-} sh -euc "$(block "$1")" > "$log" 2>&1 || echo "exit $?" >> "$log"; }
as_user() {
    setpriv --reuid=$user --regid=$user --clear-groups env -i PATH="$PATH" HOME="$work/home" \
        XDG_RUNTIME_DIR=/run/user/$user LC_ALL=C \
        "$@"
}
try_as_user() { as_user IMAGE="${IMAGE:-}" ROOT="${ROOT:-}" sh -euc "$(block "$1")" > "$log" 2>&1 ||
    echo "exit $?" >> "$log"; }

log=$work/log
# shows prints the driver of the device in the log. gets TEXT: it must contain the text.
shows() { sed -n 's/^\tdriverInfo *= /    /p' "$log"; }
gets() {
    shows
    says "$1"
}

# must COMMAND... runs a command that must succeed. may COMMAND... runs a command that may fail; its output is checked.
must() { "$@" > "$log" 2>&1 || fail "$1 ends with $?: $(cat "$log")"; }
may() { "$@" > "$log" 2>&1 || :; } # its output is checked

# until_true COUNT COMMAND... repeats a command until it succeeds.
until_true() {
    count=$1
    shift
    for _ in $(seq "$count"); do
        if "$@" > "$log" 2>&1; then return; fi
        sleep 0.2
    done
}

# import TOOL DIRECTORY IMAGE [EXCEPT] makes an image of a directory, with podman or docker.
import() {
    tar -C "$2" --exclude=./usr/share/doc --exclude=./var/cache ${4:+"--exclude=$4"} -c . |
        "$1" import - "$3" > "$log" 2>&1 || fail "no image: $(cat "$log")"
}

# commit COMMAND... makes an image of the container "spare" with a command like podman. Nothing of the host is in it.
commit() {
    must "$@" commit spare localhost/committed
    may "$@" run --rm localhost/committed sh -c 'ls -R /etc/vulkan /run/vkloader'
    lacks host-
    lacks libvulkan_lvp
    "$@" rm -f spare > /dev/null 2>&1 || : # it may have gone with the case before
}

# root_of SYSTEM KIND makes a copy of that Debian. KIND bare: without a driver; ours: also with this loader.
root_of() {
    r=$work/root-$1-$2
    if [ -d "$r" ]; then return; fi
    layered "$roots/$1" "$r"
    if [ "$2" != own ]; then rm -rf "$r/usr/share/vulkan/icd.d"; fi
    if [ "$2" = ours ]; then
        rm -f "$r/$libraries"/libvulkan.so.1*
        cp "$top/build/portable/libvulkan.so.1" "$r/$libraries/libvulkan.so.1"
    fi
}

# image SYSTEM KIND makes the image IMAGE.
image() {
    IMAGE=localhost/$1-$2
    if podman image exists "$IMAGE"; then return; fi
    root_of "$1" "$2"
    import podman "$r" "$IMAGE"
}

debian() {
    for system in debian11 debian12 debian13; do
        [ -d "$roots/$system" ] || continue
        for kind in bare own; do
            image $system $kind
            for loader in run portable; do
                case_of "$system, $kind, $loader"
                try $loader
                shows
                case $system-$kind in
                debian11-bare) lacks llvmpipe ;;
                debian11-own) says "Mesa 20." ;;
                debian13-own) says "Mesa 25." ;;
                *) says "Mesa $host" ;;
                esac
            done
        done
    done
    if [ -d "$roots/debian11" ]; then
        case_of "debian11, bare: why"
        IMAGE=localhost/debian11-bare
        try why
        says GLIBC_
        grep -m 2 GLIBC_ "$log"
    fi
    case_of "debian12: why, from outside and before"
    IMAGE=localhost/debian12-bare
    try why
    says lvp_icd
    lacks "exit "
    try outside
    says lvp_icd
    lacks "exit "
    try image
    says host-lvp_icd
    lacks "exit "
    case_of "in a file system that may not be written, and in a container that is started again"
    must podman run --name spare --read-only --device vkloader/gpu=all "$IMAGE" vulkaninfo --summary
    says "Mesa $host"
    must podman start -a spare
    says "Mesa $host"
    case_of "commit: nothing of the host is in the new image"
    commit podman
}

# A driver is removed from the host: containers do not start until the CDI file is refreshed; then they get the
# remaining drivers.
one_gone() {
    case_of "one driver is removed"
    image debian12 bare
    over /usr/share/vulkan
    over /usr/lib/x86_64-linux-gnu
    rm /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so
    try run
    lacks llvmpipe
    says libvulkan_radeon.so
    must vkloader cdi refresh
    says "left out: /usr/share/vulkan/icd.d/radeon_icd"
    try run
    gets "Mesa $host"
    try why
    says "radeon_icd"
    says "its library"
    says "host-lvp_icd"
    lacks "exit "
    case_of "its manifest is removed, too"
    rm /usr/share/vulkan/icd.d/radeon_icd*
    must vkloader cdi refresh
    says "written again"
    try run
    says "Mesa $host"
    try why
    lacks radeon_icd
    umount -l /usr/lib/x86_64-linux-gnu
    umount -l /usr/share/vulkan
    must vkloader cdi refresh
    says "written again"
}

# The drivers are those of a 32-bit Debian, as in a driver container, since this machine may have none.
narrow() {
    [ -d "$roots/debian12-i386" ] || return 0
    case_of "debian12, 32 bits"
    image debian12-i386 bare
    must vkloader cdi generate --machine i386 --driver-root "$roots/debian12-i386" --kind vkloader/narrow -o \
        /etc/cdi/narrow.yaml
    may podman run --rm --device vkloader/narrow=all "$IMAGE" vulkaninfo --summary
    gets "Mesa 22."
    case_of "debian12, 32 bits, this loader"
    if [ -e "$top/build/i386/portable/libvulkan.so.1" ]; then
        may podman run --rm --device vkloader/narrow=all -v \
            "$top/build/i386/portable/libvulkan.so.1:/opt/vkloader/libvulkan.so.1:ro" \
            -e LD_LIBRARY_PATH=/opt/vkloader "$IMAGE" vulkaninfo --summary
        gets "Mesa 22."
    else
        fail "there is no build/i386/portable: make PORTABLE=1 TARGET=i386 spine"
    fi
    rm -f /etc/cdi/narrow.yaml
}

# Programs of both word sizes in one container. Host and image are Debian 12 with both architectures; the image has no
# driver.
both() {
    [ -d "$roots/debian12-i386" ] || return 0
    case_of "debian12, 64 and 32 bits"
    b=$work/both
    layered "$roots/debian12:$roots/debian12-i386" "$b"
    cp "$roots/debian12-i386/usr/bin/vulkaninfo" "$b/usr/bin/vulkaninfo32"
    chroot "$b" ldconfig
    must vkloader cdi generate --machine x86_64 --machine i386 --driver-root "$b" \
        --kind vkloader/both -o "$work/both.yaml"
    IMAGE=localhost/debian12-both
    import podman "$b" "$IMAGE" './usr/share/vulkan/icd.d/*'
    mv "$work/both.yaml" /etc/cdi/both.yaml
    for program in vulkaninfo vulkaninfo32; do
        podman run --rm --device vkloader/both=all "$IMAGE" $program --summary > "$log" 2>&1 || fail "$program ends with $?"
        gets "Mesa 22."
    done
    rm -f /etc/cdi/both.yaml
}

# A system like Alpine: only musl, a loader and a program. Its driver is the null driver, built with musl.
musl() {
    case_of "musl"
    if ! [ -e "$top/build/musl/libvulkan.so.1" ] || ! command -v musl-gcc > /dev/null; then
        fail "there is no build/musl: make TARGET=musl spine drivers"
        return
    fi
    m=$work/musl
    mkdir -p "$m/lib" "$m/usr/lib" "$m/bin" "$m/tmp"
    cp /lib/x86_64-linux-musl/libc.so "$m/lib/ld-musl-x86_64.so.1"
    ln -s ../../lib/ld-musl-x86_64.so.1 "$m/usr/lib/libc.so"
    cp "$top/build/musl/libvulkan.so.1" "$m/usr/lib/"
    musl-gcc -D_GNU_SOURCE -o "$m/bin/client" "$top/test/lib/bin/client.c"
    for kind in bare own; do
        IMAGE=localhost/musl-$kind
        if [ $kind = own ]; then
            mkdir -p "$m/usr/share/vulkan/icd.d"
            cp "$top/build/musl/drivers/libvk_null.so" "$m/usr/lib/"
            sed 's|"\./lib|"/usr/lib/lib|' "$top/build/musl/drivers/null_icd.json" > \
                "$m/usr/share/vulkan/icd.d/null_icd.json"
        fi
        import podman "$m" "$IMAGE"
        case_of "musl, $kind"
        podman run --rm --device vkloader/gpu=all "$IMAGE" /bin/client > "$log" 2>&1 < /dev/null ||
            : # judged by its output
        cat "$log"
        if [ $kind = own ]; then says "devices 1"; else says "devices 0"; fi
        try why
        says "needs libc.so.6, which the image lacks"
        if [ $kind = own ]; then lacks "no driver works"; fi
    done
}

# user_image KIND copies root's image for the user.
user_image() {
    image debian12 "$1"
    must podman save -q -o "$work/saved.tar" "$IMAGE"
    chmod 644 "$work/saved.tar"
    must as_user podman load -q -i "$work/saved.tar"
    rm -f "$work/saved.tar"
}

rootless() {
    case_of "rootless Podman"
    user_image bare
    try_as_user rootless
    gets "Mesa $host"
    case_of "rootless Podman: the hook mounts, and nothing of the host is in a committed image"
    as_user podman run --name spare --device vkloader/gpu=all "$IMAGE" sh -c \
        'grep -c " /run/vkloader/cover/\| /etc/vulkan/icd.d " /proc/self/mountinfo' \
        > "$log" 2>&1 || fail "nothing is mounted over /etc/vulkan/icd.d: $(cat "$log")"
    commit as_user podman
    says /etc/vulkan/icd.d
}

# An application with this library, in a Flatpak runtime made of Debian 12 without drivers. Flatpak needs D-Bus.
flatpak_case() {
    if ! command -v flatpak > /dev/null || ! command -v dbus-daemon > /dev/null; then
        echo "test-containers: skipped: there is no Flatpak (Debian: flatpak, dbus)"
        return
    fi
    case_of "Flatpak $(flatpak --version | sed 's/Flatpak //')"
    f=$work/flatpak
    mkdir -p "$f/runtime/files" "$f/app/files/lib" "$f/app/export" /run/dbus
    cp -a "$r/usr" "$f/runtime/usr"
    cp -a "$r/etc" "$f/runtime/usr/etc"
    cp "$top/build/portable/libvulkan.so.1" "$f/app/files/lib/"
    printf '[Runtime]\nname=org.example.Platform\nruntime=org.example.Platform/x86_64/1\nsdk=org.example.Platform/x86_64/1\n' > "$f/runtime/metadata"
    printf '[Application]\nname=org.example.Game\nruntime=org.example.Platform/x86_64/1\nsdk=org.example.Platform/x86_64/1\ncommand=vulkaninfo\n' \
        > "$f/app/metadata"
    find "$f" -perm /6000 -exec chmod ug-s {} +
    {
        flatpak build-export --runtime "$f/repo" "$f/runtime" 1
        flatpak build-export "$f/repo" "$f/app" 1
        chmod -R a+rX "$f"
        dbus-daemon --system --fork --nopidfile
        as_user flatpak --user remote-add --no-gpg-verify local "$f/repo"
        as_user flatpak --user install -y --noninteractive local org.example.Game//1
    } > "$log" 2>&1 || fail "$(cat "$log")"
    may as_user dbus-run-session -- flatpak run org.example.Game --summary
    lacks llvmpipe
    as_user APP=org.example.Game dbus-run-session -- sh -euc "$(block flatpak)" > "$log" 2>&1 ||
        echo "exit $?" >> "$log"
    gets "Mesa $host"
    rm -rf "$f"
}

# The user's driver service, in sandboxes made with user namespaces.
sandboxes() {
    case_of "the user's service"
    as_user sh -euc "$(block serve)" > "$work/served" 2>&1
    until_true 50 as_user vkloader service status
    says lvp_icd
    case_of "bubblewrap"
    root_of debian12 ours
    ROOT=$r
    try_as_user bubblewrap
    gets "Mesa $host"
    flatpak_case
    case_of "rootless Podman with the socket"
    user_image ours
    try_as_user socket
    gets "Mesa $host"
}

# Docker, if its daemon is installed and supports CDI. It runs in this script's mounts, without a network and firewall
# rules.
docker_case() {
    PATH=${DOCKER_PATH:+$DOCKER_PATH:}$PATH
    if ! command -v docker > /dev/null || ! command -v dockerd > /dev/null; then
        echo "test-containers: skipped: there is no Docker with CDI: docker and dockerd of version 25 or newer, in DOCKER_PATH"
        return
    fi
    mkdir -p /etc/docker
    # shellcheck disable=SC2016 # the Markdown of the page
    sed -n 's|.*`\("features".*\)` in `/etc/docker/daemon.json`.*|{\1}|p' "$page" > /etc/docker/daemon.json
    export DOCKER_HOST=unix:///run/docker.sock DOCKER_CONFIG="$work/docker"
    dockerd --data-root "$work/dockerd" --exec-root /run/dockerd -H $DOCKER_HOST --pidfile /run/dockerd.pid \
        --bridge=none --iptables=false \
        --ip6tables=false --userland-proxy=false --seccomp-profile=unconfined > "$work/dockerd.log" 2>&1 &
    daemon=$!
    for _ in $(seq 300); do
        if docker version > "$log" 2>&1; then break; fi
        kill -0 $daemon 2> /dev/null || break
        sleep 0.2
    done
    case_of "Docker $(docker version --format '{{.Server.Version}}' 2> /dev/null || tail -n 2 "$work/dockerd.log")"
    root_of debian12 bare
    IMAGE=debian12-bare
    import docker "$r" "$IMAGE"
    try docker
    gets "Mesa $host"
    case_of "Docker: nothing of the host is in a committed image"
    must docker run --name spare --device vkloader/gpu=all "$IMAGE" true
    commit docker
    says /etc/vulkan/icd.d
    case_of "Docker with the socket of root's service"
    vkloader service run > "$work/served" 2>&1 &
    service=$!
    until_true 50 vkloader service status
    root_of debian12 ours
    IMAGE=debian12-ours
    import docker "$r" "$IMAGE"
    try docker_socket
    gets "Mesa $host"
    kill $service $daemon
    wait $service || : # ended by the signal
    wait $daemon || : # ended by the signal
}

# The steps of the DaemonSet, with its mounts.
daemonset() {
    case_of "the command of the DaemonSet"
    image debian12 bare
    mkdir -p /opt/vkloader /etc/cdi
    rm -f /etc/cdi/*
    command=$(awk '/^```/ { on = !on && $0 == "```yaml daemonset"; next } on && /volumeMounts:/ { exit } copy { print substr($0, 15) }
        on && /- \|/ { copy = 1 }' "$page")
    must podman run -d --name writer -v /usr/local/bin/vkloader:/usr/bin/vkloader:ro -v /:/node:ro -v \
        /opt/vkloader:/node-opt \
        -v /etc/cdi:/node-cdi "$IMAGE" sh -ec "$command"
    until_true 100 test -e /etc/cdi/vkloader.yaml
    podman logs writer >> "$log" 2>&1
    podman rm -f -t 0 writer > /dev/null 2>&1
    [ -e /etc/cdi/vkloader.yaml ] || fail "it wrote nothing: $(cat "$log")"
    try run
    gets "Mesa $host"
    rm -f /etc/cdi/*
    try write
}

remove() {
    case_of "after the file was removed"
    image debian12 bare
    try remove
    try run
    lacks llvmpipe
    says vkloader/gpu=all
    try write
}

host=$(env -i PATH="$PATH" VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest vulkaninfo --summary 2> /dev/null |
    sed -n 's/^\tdriverInfo *= Mesa \([0-9.]*\).*/\1/p' | head -n 1)
echo "test-containers: Podman $(podman version --format '{{.Client.Version}}'); this machine's lavapipe is of Mesa $host"
try write
lacks "exit "
for name in ${CASES:-debian one_gone narrow both musl rootless sandboxes docker_case daemonset remove}; do
    "$name"
done
finished
