# cases.sh is the common part of the tests with systems of their own. They source it in the repository's root, with $of
# set to their name and $here to the directory of their log.
# shellcheck shell=sh
# shellcheck disable=SC2154 # "of" and "here"
[ "$(id -u)" = 0 ] || {
    echo "$of: needs root, for chroot and mounts" >&2
    exit 1
}
failed=0
case=
log=$here/log

case_of() {
    case=$1
    echo "$of: $case"
}
skip() { echo "$of: $case: skipped: $*"; }
fail() {
    echo "$of: $case: $*" >&2
    failed=$((failed + 1))
}

# says TEXT: the log must contain the text; lacks TEXT: it must not.
says() { grep -qF -- "$1" "$log" || fail "nothing says \"$1\": $(tail -n 12 "$log")"; }
lacks() { ! grep -qF -- "$1" "$log" || fail "it says \"$1\": $(tail -n 12 "$log")"; }

# make_debian DIRECTORY SUITE PACKAGES [ARCHITECTURE] makes a Debian with packages, once. Fails, after a message, if
# that is impossible.
make_debian() {
    if [ -d "$1" ]; then return 0; fi
    mkdir -p "${1%/*}" "$here"
    rm -rf --one-file-system "$1.new"
    echo "$of: debootstrap $2${4:+, $4} (once; $1)"
    if ! debootstrap --variant=minbase ${4:+"--arch=$4"} ${3:+"--include=$3"} "$2" "$1.new" http://deb.debian.org/debian > \
        "$log" 2>&1; then
        rm -rf --one-file-system "$1.new"
        echo "$of: $1 cannot be made: $(tail -n 2 "$log")" >&2
        return 1
    fi
    mv "$1.new" "$1"
}

# finished prints the last line and exits with the status.
finished() {
    if [ $failed -gt 0 ]; then
        echo "$of: $failed failed" >&2
        exit 1
    fi
    echo "$of: all is well"
}
