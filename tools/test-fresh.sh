#!/bin/sh
# "make test-fresh": runs the README's two commands on a minimal machine: a Debian from debootstrap with git, make, gcc,
# libc6-dev and ca-certificates, and this machine's Go, certificates, and settings for apt and Go. It has separate
# namespaces and a separate mount as "/"; the network is the machine's. tools/fresh.sh runs there, on a clone of the
# last commit.
#
# FRESH_CACHE: a directory that keeps packages, and Go's modules and build cache, from one run to the next. Needs root.
# FRESH_RELEASE: the release of Debian, "bookworm" (Debian 12) unless set.
# FRESH_PARTS: parts of tools/test.sh that run after "make test".
# "test-fresh.sh may" prints why it cannot run here, and exits with 1, or prints nothing. The exit code is 3 if no root
# could be made; otherwise it is the tests' exit code.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}
release=${FRESH_RELEASE:-bookworm}
# The README's requirements except Go, and certificates for downloading Go's modules.
include=git,make,gcc,libc6-dev,ca-certificates
began=$(date +%s)
say() { echo "test-fresh: $* ($(($(date +%s) - began)) s)"; }

# ---- check of the requirements ---------------------------------------------------------------------------------------

why_not() {
    if [ "$(id -u)" != 0 ]; then
        echo "it needs root"
    elif ! command -v debootstrap > /dev/null && ! command -v apt-get > /dev/null; then
        echo "there is no debootstrap, and no apt-get to install it with"
    elif ! unshare --mount --pid --uts --ipc --fork sh -c 'mount -t tmpfs tmpfs /mnt && mount -t proc proc /mnt' > \
        /dev/null 2>&1; then
        echo "this machine allows no namespaces with mounts of their own"
    fi
}
why=$(why_not)
if [ "${1:-}" = may ]; then
    [ -z "$why" ] || {
        echo "$why"
        exit 1
    }
    exit 0
fi

# bound ROOT DEVICE bind-mounts the machine's node in the root.
bound() {
    : > "$1/dev/$2"
    mount --bind "/dev/$2" "$1/dev/$2"
}

# enter ROOT runs in new namespaces, makes the directory "/", and unmounts everything of the machine's.
enter() {
    hostname fresh
    mount --bind "$1" "$1"
    mount --bind "$FRESH_GOROOT" "$1/usr/local/go"
    mount -o remount,bind,ro "$1/usr/local/go"
    if [ -n "${FRESH_KEPT:-}" ]; then
        mount --bind "$FRESH_KEPT/archives" "$1/var/cache/fresh"
        mount --bind "$FRESH_KEPT/go-build" "$1/var/cache/go/build"
        mount --bind "$FRESH_KEPT/go-mod" "$1/var/cache/go/mod"
    fi
    mount -t proc proc "$1/proc"
    mount -t sysfs -o ro sysfs "$1/sys"
    mount -t tmpfs -o mode=755 tmpfs "$1/run"
    mount -t tmpfs -o mode=755 tmpfs "$1/dev"
    # Separate device nodes, so that a package or a test cannot change this machine's; bind mounts where mknod fails.
    for device in null:3 zero:5 full:7 random:8 urandom:9; do
        mknod -m 666 "$1/dev/${device%:*}" c 1 "${device#*:}" 2> /dev/null || bound "$1" "${device%:*}"
    done
    mknod -m 666 "$1/dev/tty" c 5 0 2> /dev/null || bound "$1" tty
    mkdir "$1/dev/pts" "$1/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$1/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
    ln -s pts/ptmx "$1/dev/ptmx"
    ln -s /proc/self/fd "$1/dev/fd"
    for n in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${n%:*}" "$1/dev/${n#*:}"; done
    cd "$1"
    pivot_root . .
    umount -l .
    cd /root/vkloader
    # shellcheck disable=SC2046 # a variable a word
    exec env -i $(cat /root/environment) tools/fresh.sh
}
if [ "${1:-}" = enter ]; then enter "$2"; fi

if [ -n "$why" ]; then
    echo "test-fresh: $why" >&2
    exit 3
fi

# ---- parts of the root -----------------------------------------------------------------------------------------------

command -v debootstrap > /dev/null || tools/packages.sh test-fresh debootstrap || exit 3

here=$(mktemp -d "${TMPDIR:-/tmp}/vkloader-fresh.XXXXXX")
root=$here/root
inside=
# All mounts are in the inner namespace, and end with its last process.
# shellcheck disable=SC2317 # by a trap
end() {
    if [ -n "$inside" ]; then
        # unshare ignores other signals while it waits; its processes are killed with it.
        kill -KILL "$inside" 2> /dev/null || : # it may have ended
        wait "$inside" 2> /dev/null || : # ended by the signal
    fi
    rm -rf --one-file-system "$here"
}
trap end EXIT
trap 'exit 1' INT TERM HUP

kept=
if [ -n "${FRESH_CACHE:-}" ]; then
    mkdir -p "$FRESH_CACHE"
    kept=$(cd "$FRESH_CACHE" && pwd)
    mkdir -p "$kept/archives" "$kept/go-build" "$kept/go-mod"
fi

# The mirror from which this machine's apt gets the release; without one, debootstrap chooses. It uses this machine's
# proxy.
# shellcheck disable=SC2016 # apt-get's own names
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2> /dev/null |
    sed -n "s/^$release main //p" | head -n 1)
for scheme in http https; do
    proxy=
    eval "$(apt-config shell proxy "Acquire::$scheme::Proxy" 2> /dev/null)"
    if [ -n "$proxy" ] && [ "$proxy" != DIRECT ]; then export "${scheme}_proxy=$proxy"; fi
done

# no_root WHAT prints why there is no root, and exits.
no_root() {
    tail -n 15 "$here/log" >&2
    echo "test-fresh: $*" >&2
    exit 3
}

# debootstrap mounts /proc in the root, so it runs in a separate mount namespace, too.
base=$kept/base-$(echo "$release $include $mirror" | cksum | cut -d ' ' -f 1).tar
if [ -n "$kept" ] && [ -e "$base" ]; then
    mkdir "$root"
    tar -xpf "$base" -C "$root"
    say "a fresh root, of packages that were kept"
else
    # shellcheck disable=SC2086 # without a mirror there is no word for it
    unshare --mount debootstrap --variant=minbase --include="$include" "$release" "$root" $mirror > "$here/log" 2>&1 < \
        /dev/null ||
        no_root "debootstrap made no root"
    if [ -n "$kept" ]; then
        tar -cpf "$base.new" -C "$root" .
        mv "$base.new" "$base"
    fi
    say "a fresh root, by debootstrap"
fi

# ---- this machine's settings -----------------------------------------------------------------------------------------

# apt's settings: all of them if this machine has the same release, otherwise proxies and keys only.
for file in apt.conf apt.conf.d auth.conf auth.conf.d keyrings trusted.gpg trusted.gpg.d \
    ${mirror:+sources.list sources.list.d preferences preferences.d}; do
    rm -rf "$root/etc/apt/$file"
    if [ -e "/etc/apt/$file" ]; then cp -rL "/etc/apt/$file" "$root/etc/apt/"; fi
done
# Packages are stored where no setting of this machine removes them.
mkdir -p "$root/var/cache/fresh/partial" "$root/etc/apt/apt.conf.d"
echo 'Dir::Cache::archives "/var/cache/fresh";' > "$root/etc/apt/apt.conf.d/zz-fresh"

# Certificates, including those that were added only to the bundle.
if [ -d /usr/local/share/ca-certificates ]; then cp -rL /usr/local/share/ca-certificates "$root/usr/local/share/"; fi
chroot "$root" update-ca-certificates > "$here/log" 2>&1 || no_root "update-ca-certificates failed"
if [ -e /etc/ssl/certs/ca-certificates.crt ];
    then cat /etc/ssl/certs/ca-certificates.crt > "$root/etc/ssl/certs/ca-certificates.crt"; fi

for file in resolv.conf hosts; do
    rm -f "$root/etc/$file"
    cat "/etc/$file" > "$root/etc/$file"
done
echo fresh > "$root/etc/hostname"
echo "127.0.1.1 fresh" >> "$root/etc/hosts"
# Prevents packages from starting services in the root.
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

# ---- Go, the clone, the variables ------------------------------------------------------------------------------------

mkdir -p "$root/usr/local/go" "$root/var/cache/go/build" "$root/var/cache/go/mod"
chmod 700 "$root/root"
git clone -q --no-hardlinks . "$root/root/vkloader" > "$here/log" 2>&1 || no_root "the repository was not cloned"
git -C "$root/root/vkloader" checkout -q --detach "$(git rev-parse HEAD)"
# The remote of the clone does not exist in the root.
git -C "$root/root/vkloader" remote remove origin
if [ -n "$(git status --porcelain)" ];
    then echo "test-fresh: the last commit is tried, without the changes after it"; fi

{
    echo PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin
    echo HOME=/root
    env | grep -E '^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|CI)=' || : # none may be set
    for name in GOPROXY GOSUMDB GONOSUMDB GOPRIVATE GONOPROXY GOINSECURE GOTOOLCHAIN; do
        value=$("$go" env $name)
        if [ -n "$value" ]; then echo "$name=$value"; fi
    done
    # Root and the user use these caches, one after the other.
    echo GOCACHE=/var/cache/go/build
    echo GOMODCACHE=/var/cache/go/mod
    # Only the flag that tells how to find modules; no other GOFLAGS of this machine.
    flags=$("$go" env GOFLAGS | tr ' ' '\n' | grep -E '^--?mod' | head -n 1) || : # it may be absent
    if [ -n "$flags" ]; then echo "GOFLAGS=$flags"; fi
    # The parts are separated by commas, because "env" splits the variable's file at spaces.
    echo "FRESH_PARTS=$(echo "${FRESH_PARTS:-}" | tr ' ' ,)"
} | grep -v ' ' > "$root/root/environment"

# The programs of tools/check.sh are built here, once.
GOFLAGS='' tools/check.sh fetch
mkdir -p "$root/root/vkloader/build"
cp -r build/checkers "$root/root/vkloader/build/"

# ---- running the tests -----------------------------------------------------------------------------------------------

FRESH_GOROOT=$("$go" env GOROOT) \
    FRESH_KEPT=$kept unshare --mount --pid --uts --ipc --fork --kill-child "$PWD/tools/test-fresh.sh" enter "$root" < \
    /dev/null &
inside=$!
status=0
wait $inside || status=$?
inside=
if [ $status = 0 ]; then say "all is well"; else say "failed" >&2; fi
# Exit status 3 is reserved for "no root could be made".
if [ $status = 3 ]; then status=1; fi
exit $status
