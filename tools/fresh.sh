#!/bin/sh
# fresh.sh runs inside the root of tools/test-fresh.sh, in a clone below root's home: the README's two commands as root,
# the parts of tools/test.sh in FRESH_PARTS, then, as an ordinary user, "make run" and the suites that depend on the
# user.
set -eu
began=$(date +%s)
step() {
    echo "test-fresh: $1 ($(($(date +%s) - began)) s)"
    shift
    "$@"
}
somebody=newcomer
home=/home/$somebody

step "make run, as root" make -s run
step "make test, as root" make test
for part in $(echo "${FRESH_PARTS:-}" | tr , " "); do step "test.sh $part, as root" tools/test.sh "$part"; done

# The same clone for the user, below a home that no other user may read. The owner of Go's caches changes to that user.
useradd --home-dir $home --create-home --shell /bin/sh $somebody
chmod 700 $home
git clone -q --no-hardlinks . $home/vkloader
git -C $home/vkloader remote remove origin
chown -R $somebody: "$GOCACHE" "$GOMODCACHE"
if [ -d build/emulators ]; then # where the kernel runs no programs of i386
    mkdir $home/vkloader/build
    cp -r build/emulators $home/vkloader/build/
fi
chown -R $somebody: $home
cd $home/vkloader
as_somebody() { HOME=$home setpriv --reuid=$somebody --regid=$somebody --init-groups "$@"; }
step "make run, as an ordinary user" as_somebody make -s run
step "the suites that depend on the user, as an ordinary user" as_somebody tools/test.sh user
step "done" true
