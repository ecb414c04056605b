#!/bin/sh
# "make dist": dist.sh RELEASE CORE.C FOLDER writes FOLDER/vkloader-RELEASE.tar.gz: what git has at HEAD, and the core in
# C as spine/gen/core.c. The same commit gives the same bytes.
set -eu
cd "$(dirname "$0")/.."
release=$1 core=$2 folder=$3
name=vkloader-$release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
git archive --prefix="$name/" HEAD | tar -x -C "$work"
cp "$core" "$work/$name/spine/gen/core.c"
date=$(git log -1 --format=%ct)
tar -C "$work" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -cf - "$name" |
    gzip -9n > "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
