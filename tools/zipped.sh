#!/bin/sh
# zipped.sh ARCHIVE DIRECTORY packs a directory into a zip archive and prints the archive's SHA-256. The directory's
# name is the first part of each name. Only the content of files counts, and whether their owner may execute them; their
# time is that of the last commit. So the same files give the same bytes.
set -eu
unset CDPATH
archive=$(realpath "$1")
top=$(realpath "$2")
GIT_COMMITTER_DATE="$(git log -1 --format=%ct) +0000" GIT_DIR=$(mktemp -d)
trap 'rm -rf "$GIT_DIR"' EXIT INT TERM
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE="$GIT_COMMITTER_DATE" GIT_DIR GIT_WORK_TREE="$top" TZ=UTC
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q --initial-branch=main
cd "$top"
git add --all --force .
commit=$(git -c user.name=vkloader -c user.email=vkloader commit-tree -m "$(basename "$top")" "$(git write-tree)")
git archive --format=zip -9 --prefix="$(basename "$top")/" --output="$archive" "$commit"
sha256sum "$archive" | cut -d' ' -f1
