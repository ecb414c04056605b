#!/bin/sh
# fresh.sh: what tools/test-fresh.sh has done in the root that it makes, in a clone below root's home: the README's two
# commands as root, and again as somebody else, for whom the second rounds with sanitizers, with the race detector and on the
# 32-bit library, the portable library, and the checks of the sources are not repeated.
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

# The same clone below a home of theirs that nobody else may look into, and what Go has fetched and compiled.
useradd --home-dir $home --create-home --shell /bin/sh $somebody
chmod 700 $home
git clone -q --no-hardlinks . $home/vkloader
git -C $home/vkloader remote remove origin
mkdir -p $home/.cache $home/go/pkg
cp -r /root/.cache/go-build $home/.cache/
cp -r /root/go/pkg/mod $home/go/pkg/
if [ -d build/emulators ]; then # where the kernel runs no programs of i386
    mkdir $home/vkloader/build
    cp -r build/emulators $home/vkloader/build/
fi
chown -R $somebody: $home
cd $home/vkloader
as_somebody() { HOME=$home setpriv --reuid=$somebody --regid=$somebody --init-groups "$@"; }
step "make run, as an ordinary user" as_somebody make -s run
step "the tests that need no root, as an ordinary user" as_somebody tools/test.sh tests
step "done" true
