#!/bin/sh
# test.sh [user | library | orders | bare | race | all | beside] installs the Debian packages that the tests need, if it
# may, builds, and runs tests.
#
#   (nothing)  "make test": the suites of the loader and of the tool, and the checks of the sources
#   user       the suites whose answers depend on the user, for a second run by an ordinary user
#   library    the rest of what judges the library: sanitizers, 32 bits, the translator, growth of costs
#   orders     the suites with directories in other orders: by seeds, and on ext4, tmpfs and overlay where root may mount
#   bare       the suites without /dev/std*, /dev/pts, /sys and the variables of a login, where root may mount
#   race       the driver service and the package discover, with the race detector
#   all        all but "user", with the tests that VKLOADER_TEST_ALL selects; "make test-all" adds the other machines
#   beside     the part of "make test" that runs beside the suites: the library of a big-endian machine, and the checks of the sources
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}
part=${1:-}
case $part in
"" | user | library | orders | bare | race | all | beside) ;;
*)
    echo "usage: test.sh [user | library | orders | bare | race | all | beside]" >&2
    exit 2
    ;;
esac

# Prints the programs, drivers and layers that the tests need, or their packages. Debian's 32-bit compiler conflicts
# with its cross compilers; if one of these is installed, the 32-bit library is not tested.
list() {
    grep -v '^#' tools/test-packages.txt |
        awk -v column="$1" -v part="$part" '(NF == 2 || part == "all" && $3 == "all") && $2 != "-" { print $column }' \
        | sort -u
}
install() {
    packages=$(list 2)
    crossed=$(find /usr/bin -name "*-linux-gnu*-gcc-[0-9]*" ! -name "$(gcc -dumpmachine)-*")
    if [ "$(uname -m)" = x86_64 ] && [ -z "$crossed" ] && ! narrow; then
        packages="$packages gcc-multilib"
    fi
    # shellcheck disable=SC2086
    PROGRAMS=$(list 1 | grep -v /) tools/packages.sh test $packages
}
narrow() { printf '#include <stdio.h>\nint main(void) { return 0; }\n' | gcc -m32 -x c -o /dev/null - 2> /dev/null; }
# waiting TEXT COMMAND...: runs a command, and prints the text each minute until it ends.
waiting() {
    text=$1
    shift
    while sleep 50 > /dev/null 2>&1 && kill -0 $$ 2> /dev/null; do echo "test: still $text"; done &
    line=$!
    status=0
    "$@" || status=$?
    kill $line 2> /dev/null || : # it may have ended
    return $status
}
[ "$part" = beside ] || waiting "installing packages" install

# An emulator runs i386 programs if the kernel does not; it is unpacked below build/emulators.
if narrow; then
    emulator=$(tools/emulator.sh i386 fetch)
    if [ -n "$emulator" ]; then echo "test: this machine's kernel runs no programs of i386; they run below $emulator";
        fi
fi

# Compilers and tests in Go take a fifth less time with more memory between collections.
export GOGC=300
# Compiled packages have no path of this checkout, so that another checkout uses the same build cache.
case " ${GOFLAGS:-} " in
*" -trimpath "*) ;;
*) export GOFLAGS="${GOFLAGS:-} -trimpath" ;;
esac

# Suites that test the library alone: they translate, compile or count, or need the sanitizers.
library='/test/(goc|goc/.*|loader/(equal|scale|storm))$'
# Tests that build the library again: for other machines, with an old C library, without optimisation, or from an
# archive of the source.
rebuilding='^(TestPortableNeedsAnOldLibrary|TestG12WithoutOptimization|TestDistIsReproducible)$'
# by_go FLAG... -- PACKAGE...: runs go test, without vet, which is a separate check, and without debug information.
by_go() {
    GOOS='' GOARCH='' CGO_ENABLED=0 "$go" build -o build/progress ./tools/progress
    GO=$go build/progress -vet=off -ldflags='-s -w' -count 1 -p 3 -parallel 6 "$@"
}
# build TARGET GOAL...: runs make.
build() {
    machine=$1
    shift
    waiting "building $*" make -s -j"$(nproc)" TARGET="$machine" "$@"
}

# Fetches a compiler and an emulator for a big-endian machine, for test/loader/equal and test/loader/target.
big_endian_tools() {
    tools/cross.sh compiler s390x
    tools/cross.sh emulator s390x
}

# Tests the library on an emulated big-endian machine; test/loader/equal compares the answers of its core.
big_endian() {
    echo "test: go test, on the library for s390x"
    big_endian_tools
    build s390x spine drivers layers
    TARGET=s390x by_go -run '^(TestChain|TestMachine)$' -- ./test/loader/target
}

# The longest suites start first, so that none of them runs alone at the end.
longest="./test/tool/commands ./test/tool/ui ./test/loader/programs ./test/loader/guest"

suites() {
    build "" all
    # Test programs often wait, so other work runs at the same time.
    echo "test: the checks of the sources and the library for s390x run beside the tests; their result comes at the end"
    mkdir -p build
    setsid nice -n 5 tools/test.sh beside > build/beside.log 2>&1 &
    beside=$!
    trap 'kill -- -$beside 2> /dev/null || :' EXIT # it may have ended
    echo "test: go test; the longest suites are the first, so their lines come after some minutes"
    # shellcheck disable=SC2046,SC2086
    by_go -skip "$rebuilding" -- $longest $("$go" list ./... | grep -vE "$library")
    if ! waiting "checking the sources (build/beside.log)" wait $beside; then
        cat build/beside.log >&2
        echo "test: failed: the part beside the suites. To repeat: tools/test.sh beside" >&2
        exit 1
    fi
    trap - EXIT
    cat build/beside.log
}

of_user() {
    build "" all
    echo "test: go test, the suites whose answers depend on the user"
    by_go -- ./discover ./internal/containers/... \
        ./internal/decide/machine ./internal/decide/process ./internal/tool/cli ./internal/tool/doctor \
        ./internal/decide/trust ./test/containers/client \
        ./test/loader/discovery ./test/loader/elevated ./test/loader/facts ./test/tool/commands ./test/tool/ui
}

of_library() {
    big_endian_tools
    build "" all asan tsan
    echo "test: go test, the translator, growth of costs, many threads"
    # shellcheck disable=SC2046
    by_go -- $("$go" list ./... | grep -E "$library")
    by_go -run "$rebuilding" -- ./test/loader/library ./test/loader/guest ./test/loader/programs
    # The 32-bit library, if its compiler is installed: a program draws through a layer, and another one calls the whole
    # API. "make test-all" builds and tests the 32-bit tool.
    if narrow; then
        echo "test: go test, on the 32-bit library"
        build i386 spine drivers layers
        TARGET=i386 TARGET_CC="gcc -m32" by_go -skip '^TestTool$' -- ./test/loader/target ./test/loader/instance
    else
        echo "test: gcc -m32 makes no programs here (Debian: gcc-multilib), so the 32-bit library is not tried"
    fi
    echo "test: go test, with the address and undefined-behaviour sanitizers"
    # shellcheck source=tools/suites.sh
    . tools/suites.sh
    # shellcheck disable=SC2086
    VKLOADER_TEST_BUILD=asan by_go -- ./test/containers/client ./test/loader/memory $sanitized
}

# Tests depend on no directory's order. The interposer shuffles the directories of the library's cases by a seed. The
# order of ext4 follows from the hash seed of the file system, that of tmpfs from the order of creation; the tool reads
# these, too.
of_orders() {
    build "" all
    ordered="./test/loader/chain ./test/loader/debug ./test/loader/discovery ./test/loader/drivers ./test/loader/instance
        ./test/loader/layers ./test/loader/physdev ./test/loader/randomworlds"
    for seed in 1 2 3; do
        echo "test: go test, directories in the order of seed $seed"
        # shellcheck disable=SC2086
        VKLOADER_TEST_ORDER=$seed by_go -- $ordered
    done
    on_file_system 1 && on_file_system 2 && on_file_system tmpfs && on_file_system overlay
}

# mounted TEXT SCRIPT ARGUMENT...: runs a shell script in a separate mount namespace.
mounted() {
    if ! unshare --mount sh -c 'mount -t tmpfs tmpfs /mnt' 2> /dev/null; then
        echo "test: this machine permits no mounts, so the suites do not run $1"
        return 0
    fi
    echo "test: go test, $1"
    GOOS='' GOARCH='' CGO_ENABLED=0 "$go" build -o build/progress ./tools/progress
    shift
    GO=$go unshare --mount sh -euc "$@"
}

# on_file_system KIND: runs the suites on ext4 with a hash seed (a number), tmpfs or overlay.
on_file_system() {
    # shellcheck disable=SC2016,SC2086 # the inner shell's variables
    mounted "on the file system $1" '
        kind=$1
        shift
        case $kind in
        tmpfs) mount -t tmpfs -o mode=1777 tmpfs /mnt ;;
        overlay)
            mount -t tmpfs -o mode=755 tmpfs /mnt
            mkdir /mnt/lower /mnt/upper /mnt/work /mnt/top
            chmod 1777 /mnt/upper
            mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/top
            mount --bind /mnt/top /mnt
            ;;
        *)
            truncate -s 8G build/ordered.ext4
            mkfs.ext4 -q -F -O ^has_journal -E "hash_seed=0000000$kind-0000-0000-0000-000000000000" build/ordered.ext4
            mount -o loop build/ordered.ext4 /mnt
            rm build/ordered.ext4
            chmod 1777 /mnt
            ;;
        esac
        TMPDIR=/mnt exec build/progress -vet=off -count 1 -p 3 -parallel 6 -- "$@"' sh "$1" \
        ./internal/... ./discover ./test/containers/... ./test/loader/changes ./test/loader/facts ./test/loader/library \
        ./test/loader/memory ./test/tool/commands $ordered
}

# A root that was only unpacked has no more devices than these.
of_bare() {
    build "" all
    # shellcheck disable=SC2016,SC2046,SC2086 # the inner shell's variables
    GOCACHE=$("$go" env GOCACHE) GOMODCACHE=$("$go" env GOMODCACHE) \
        mounted "without /dev/std*, /dev/pts, /sys and the variables of a login" '
        mount -t tmpfs -o mode=755 tmpfs /mnt
        for device in null zero full random urandom tty; do
            : > /mnt/$device
            mount --bind /dev/$device /mnt/$device
        done
        mkdir -m 1777 /mnt/shm
        mount --move /mnt /dev
        mount -t tmpfs -o mode=755 tmpfs /sys
        exec env -u HOME -u USER -u LOGNAME build/progress -vet=off -count 1 -p 3 -parallel 6 "$@"' sh \
        -skip "$rebuilding" -- $longest $("$go" list ./... | grep -vE "$library")
}

# The driver service runs Go's threads, and programs call discover from several threads. test/loader/storm tests the C
# side.
raced() {
    echo "test: go test, with the race detector"
    by_go -race -- ./internal/containers/... ./discover
}

case $part in
user) of_user ;;
library) of_library ;;
race) raced ;;
orders) of_orders ;;
bare) of_bare ;;
beside)
    big_endian
    tools/check.sh
    ;;
all)
    export VKLOADER_TEST_ALL=1
    suites
    of_library
    of_orders
    of_bare
    raced
    ;;
*) suites ;;
esac
