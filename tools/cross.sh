#!/bin/sh
# cross.sh compiler TARGET | emulator TARGET fetches a compiler or an emulator for another machine if none is installed.
# The compiler is Debian's cross compiler, unpacked below build/cross, because apt cannot install it together with
# gcc-multilib. The emulator is Debian 13's qemu-user, unpacked below build/emulators. Debian 12 has no compiler for
# loong64, so Debian 13's is unpacked with its C library. cross.sh installs nothing and needs no root. apt checks the
# signatures.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
what=$1 target=$2
field() { awk -v t="$target" -v n="$1" '$1 == t { print $n }' internal/machines/machines.txt; }
triplet=$(field 7) emulator=$(field 10)
[ -n "$triplet" ] || { echo "cross: internal/machines/machines.txt has no machine $target" >&2; exit 1; }
case $what in
compiler) tools=$PWD/build/cross wanted=$triplet-gcc ;;
emulator) tools=$PWD/build/emulators wanted=$emulator ;;
*) echo "usage: cross.sh compiler|emulator TARGET" >&2; exit 2 ;;
esac
PATH=$tools/bin:$PATH

works() { printf 'int main(void) { return 0; }\n' | "$triplet-gcc" -x c -o /dev/null - 2> /dev/null; }

# Debian 12's qemu-user 7.2 ignores MADV_WIPEONFORK, with which the loader detects a forked child.
emulates() {
    version=$("$emulator" --version 2> /dev/null | sed -n "s/^$emulator version \([0-9]*\)\.\([0-9]*\).*/\1\2/p")
    [ -n "$version" ] && [ "$version" -ge 81 ]
}

# unpack DIRECTORY PACKAGE... unpacks packages below the directory. $options tell apt where to look for them.
unpack() {
    into=$1
    shift
    rm -rf "$tools/packages"
    mkdir -p "$tools/packages" "$into"
    # shellcheck disable=SC2086
    if ! (cd "$tools/packages" && apt-get -q $options download "$@") > "$tools/log" 2>&1; then
        tail -n 5 "$tools/log" >&2
        echo "cross: these packages could not be fetched: $*" >&2
        exit 1
    fi
    for file in "$tools"/packages/*.deb; do dpkg -x "$file" "$into"; done
    rm -rf "$tools/packages"
}

# trixie sets apt's options for Debian 13.
trixie() {
    lists=$tools/apt
    mkdir -p "$lists/parts" "$lists/lists/partial" "$lists/cache/archives/partial"
    cat > "$lists/parts/trixie.sources" <<END
Types: deb
URIs: http://deb.debian.org/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
    options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$lists/parts -o Dir::State::lists=$lists/lists
        -o Dir::Cache=$lists/cache"
    # shellcheck disable=SC2086
    apt-get -q $options update > "$tools/log" 2>&1 || {
        tail -n 5 "$tools/log" >&2
        echo "cross: Debian 13's list of packages could not be fetched" >&2
        exit 1
    }
}

# program NAME COMMAND... writes a script $tools/bin/NAME that runs the command with the script's arguments.
program() {
    name=$1
    shift
    rm -f "$tools/bin/$name"
    printf '#!/bin/sh\nexec env %s "$@"\n' "$*" > "$tools/bin/$name"
    chmod +x "$tools/bin/$name"
}

mkdir -p "$tools"
exec 9> "$tools/lock"
flock 9
case $what in
compiler) if works; then exit 0; fi ;;
emulator) if emulates; then exit 0; fi ;;
esac
if ! command -v apt-get > /dev/null || ! command -v dpkg > /dev/null; then
    echo "cross: this is no Debian, so nothing is fetched; missing: $wanted (an emulator has to be version 8.1 or newer)" >&2
    exit 1
fi
mkdir -p "$tools/bin"
options=

case $what in
compiler)
    # In Debian's package names, the triplet has no vendor, and "-" for "_".
    suffix=$target-cross package=$(echo "$triplet" | tr _ -)
    if apt-cache show "gcc-$(gcc -dumpversion)-$package" > /dev/null 2>&1; then
        version=$(gcc -dumpversion)
        root=$tools
    else
        trixie
        version=14
        root=$tools/trixie
        unpack "$root" libc6 libstdc++6 libgcc-s1 zlib1g libzstd1 libgmp10 libmpfr6 libmpc3 libisl23 libjansson4 \
            libsframe1
    fi
    echo "cross: unpacking Debian's gcc $version for $target below build/cross"
    unpack "$root" "gcc-$version-$package" "cpp-$version-$package" "libgcc-$version-dev-$suffix" "libgcc-s1-$suffix" \
        "libatomic1-$suffix" \
        "libc6-$suffix" "libc6-dev-$suffix" "linux-libc-dev-$suffix" "binutils-$package"
    here=$root/usr/lib/$(gcc -print-multiarch)
    # The assembler and the linker come with their own libraries. Programs of a newer Debian are started with its
    # dynamic linker; gcc starts its subprograms with it, too, through -wrapper. collect2 looks for the linker in -B.
    run="LD_LIBRARY_PATH=$here" wrapper=
    if [ "$root" != "$tools" ]; then
        here=$here:$root/lib/$(gcc -print-multiarch)
        run="$root/usr/lib64/ld-linux-x86-64.so.2 --library-path $here"
        wrapper="-wrapper $root/usr/lib64/ld-linux-x86-64.so.2,--library-path,$here -B$root/collect/$triplet/"
        mkdir -p "$root/collect/$triplet"
        ln -sf "$tools/bin/$triplet-ld" "$root/collect/$triplet/ld"
    fi
    for tool in "$root/usr/bin/$triplet"-*; do program "${tool##*/}" "$run" "$tool"; done
    # The C library's linker script names its files by absolute paths.
    program "$triplet-gcc" "$run" "$root/usr/bin/$triplet-gcc-$version" "--sysroot=$root" "$wrapper"
    works || {
        echo "cross: what was unpacked makes no program: $tools/bin/$triplet-gcc" >&2
        exit 1
    }
    ;;
emulator)
    echo "cross: unpacking Debian 13's qemu-user below build/emulators"
    trixie
    unpack "$tools" qemu-user
    used=$(awk '!/^#/ { print $10 }' internal/machines/machines.txt)
    find "$tools/usr/bin" -name 'qemu-*' | while read -r file; do
        if printf '%s\n' "$used" | grep -qx "${file##*/}"; then ln -sf "../usr/bin/${file##*/}" "$tools/bin";
            else rm "$file"; fi
    done
    rm -rf "$tools/apt"
    emulates || {
        echo "cross: what was unpacked does not run: $tools/bin/$wanted" >&2
        exit 1
    }
    ;;
esac
