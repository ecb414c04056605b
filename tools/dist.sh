#!/bin/sh
# "make dist": dist.sh RELEASE CORE.C DIRECTORY TREE writes DIRECTORY/vkloader-RELEASE.tar.gz: the files of git's TREE,
# and the core in C as spine/gen/core.c. The same commit gives the same bytes.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
release=$1 core=$2 directory=$3 tree=$4
name=vkloader-$release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
git archive --prefix="$name/" "$tree" | tar -x -C "$work"
cp "$core" "$work/$name/spine/gen/core.c"
date=$(git log -1 --format=%ct)
tar -C "$work" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$name" |
    gzip -9n > "$directory/$name.tar.gz"
echo "$directory/$name.tar.gz"
