#!/bin/sh
# changed.sh [BASE] prints the files that differ between a commit and the working tree, one a line. The commit is BASE,
# or the merge base with the main branch of origin, or the first parent. Without any of these, it prints every file.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
base=${1:-}
if [ -z "$base" ]; then
    for ref in origin/HEAD origin/main origin/master; do
        base=$(git merge-base HEAD "$ref" 2> /dev/null) || continue
        [ "$base" != "$(git rev-parse HEAD)" ] || base=
        break
    done
fi
base=${base:-$(git rev-parse -q --verify HEAD^ || :)} # the first commit has no parent
if [ -z "$base" ] || ! git rev-parse -q --verify "$base^{commit}" > /dev/null; then
    git ls-files
    exit 0
fi
{
    git diff --name-only "$base"
    git ls-files --others --exclude-standard
} | sort -u
