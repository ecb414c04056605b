#!/bin/sh
# test-documented.sh [TEXT] runs each line "make ... TARGET=..." of the documents and of "make help" that contains the
# text, once, in a fresh clone of the last commit, and prints which ones failed. "TARGET=..." stands for every target.
# The clones share only what scripts have fetched: compilers and emulators. Needs root, for Wine's Debian.
set -eu
unset CDPATH
unset MAKEFLAGS MFLAGS MAKELEVEL TARGET
cd "$(dirname "$0")/.."
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/vkloader-documented.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' INT TERM HUP

machines=$(awk -v own="$(uname -m)" '!/^#/ && NF && $2 != own { print $1 }' internal/machines/machines.txt)
{
    # shellcheck disable=SC2016 # the quotes of Markdown
    git ls-files '*.md' | xargs grep -ohE '`[^`]*\bmake [^`]*TARGET=[^`]*`' | tr -d '`'
    make help | sed 's/  .*//' | grep TARGET=
} | while read -r line; do
    case $line in
    *TARGET=...*) for target in $machines musl windows macos; do echo "${line%...*}$target${line#*...}"; done ;;
    *) echo "$line" ;;
    esac
done | sort -u | grep -F -e "${1:-make}" > "$work/lines"
[ -s "$work/lines" ] || { echo "test-documented: no document has such a line: ${1:-}" >&2; exit 1; }

# The requirements that docs/porting.md names; "make test" fetches its own.
tools/packages.sh test-documented gcc-multilib musl-tools npm gcc-mingw-w64-x86-64-win32 gcc-mingw-w64-i686-win32
mkdir -p build/cross build/emulators build/zig build/checkers
failed=0
while read -r line <&3; do
    rm -rf "$work/clone"
    git clone -q --shared . "$work/clone"
    mkdir "$work/clone/build"
    for fetched in cross emulators zig checkers; do ln -s "$top/build/$fetched" "$work/clone/build/$fetched"; done
    target=$(printf '%s\n' "$line" | sed 's/.*TARGET=\([^ ]*\).*/\1/')
    if [ "$target" != i386 ] && printf '%s\n' "$machines" |
        grep -qxF "$target"; then tools/cross.sh compiler "$target"; fi
    echo "test-documented: $line"
    if ! (cd "$work/clone" && DESTDIR="$work/installed" sh -c "$line" < /dev/null > "$work/log" 2>&1); then
        tail -n 15 "$work/log" >&2
        echo "test-documented: failed: $line" >&2
        failed=$((failed + 1))
    fi
done 3< "$work/lines"
echo "test-documented: $(($(wc -l < "$work/lines") - failed)) of $(wc -l < "$work/lines") lines ended well"
[ $failed = 0 ]
