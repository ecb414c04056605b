#!/bin/sh
# cross.sh compiler|qemu-aarch64|qemu-i386: what makes programs of arm64, or runs programs of another machine, where it is not
# installed: Debian's cross compiler, which apt does not install beside gcc-multilib, below build/arm64-tools, where the
# Makefile and tools/target.sh look; or an emulator that is new enough, of Debian 13, below build/emulators, where
# tools/emulator.sh looks. Installs nothing and needs no root. The signatures are apt's to check.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
wanted=$1
case $wanted in compiler) tools=$PWD/build/arm64-tools ;; *) tools=$PWD/build/emulators ;; esac
PATH=$tools/bin:$PATH
triplet=aarch64-linux-gnu

works() { echo 'int main(void) { return 0; }' | "$triplet-gcc" -x c -o /dev/null - 2> /dev/null; }

# Debian 12's qemu-user 7.2 ignores MADV_WIPEONFORK, by which a forked child is told.
emulates() {
    version=$("$wanted" --version 2> /dev/null | sed -n "s/^$wanted version \([0-9]*\)\.\([0-9]*\).*/\1\2/p")
    [ -n "$version" ] && [ "$version" -ge 81 ]
}

# unpack PACKAGE...: the packages' files, below $tools. In options is where apt looks for them.
unpack() {
    rm -rf "$tools/packages"
    mkdir -p "$tools/packages"
    # shellcheck disable=SC2086
    if ! (cd "$tools/packages" && apt-get -q $options download "$@") > "$tools/log" 2>&1; then
        tail -n 5 "$tools/log" >&2
        echo "cross: these packages could not be fetched: $*" >&2
        exit 1
    fi
    for package in "$tools"/packages/*.deb; do dpkg -x "$package" "$tools"; done
    rm -rf "$tools/packages"
}

case $wanted in
compiler) if works; then exit 0; fi ;;
*) if emulates; then exit 0; fi ;;
esac
if ! command -v apt-get > /dev/null || ! command -v dpkg > /dev/null; then
    echo "cross: this is no Debian, so nothing is fetched; there has to be $triplet-gcc for arm64, and where the kernel runs no programs of a machine," \
        "qemu-aarch64 or qemu-i386, 8.1 or newer; what is missing: $wanted" >&2
    exit 1
fi
mkdir -p "$tools/bin"

case $wanted in
compiler)
    version=$(gcc -dumpversion)
    echo "cross: unpacking Debian's gcc $version for arm64 below build/arm64-tools"
    options=
    unpack "gcc-$version-$triplet" "cpp-$version-$triplet" "libgcc-$version-dev-arm64-cross" libgcc-s1-arm64-cross \
        libc6-arm64-cross libc6-dev-arm64-cross linux-libc-dev-arm64-cross "binutils-$triplet"
    # The assembler and the linker have libraries of their own, which are found where a package has installed them.
    own=$tools/usr/lib/$(gcc -print-multiarch)
    # wrap NAME PROGRAM [ARGUMENT]: PROGRAM with its libraries, as $tools/bin/NAME.
    wrap() {
        rm -f "$tools/bin/$1"
        # shellcheck disable=SC2016 # the shell that runs it expands it
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec %s %s "$@"\n' "$own" "$2" "${3:-}" \
            > "$tools/bin/$1"
        chmod +x "$tools/bin/$1"
    }
    for program in "$tools/usr/bin/$triplet"-*; do wrap "${program##*/}" "$program"; done
    # The linker script of the C library names its files by their whole path.
    wrap "$triplet-gcc" "$tools/usr/bin/$triplet-gcc-$version" "--sysroot=$tools"
    works || {
        echo "cross: what was unpacked makes no program: $tools/bin/$triplet-gcc" >&2
        exit 1
    }
    ;;
*)
    echo "cross: unpacking Debian 13's qemu-user below build/emulators"
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
    unpack qemu-user
    find "$tools/usr/bin" -name 'qemu-*' ! -name qemu-aarch64 ! -name qemu-i386 -delete
    for emulator in qemu-aarch64 qemu-i386; do ln -sf "../usr/bin/$emulator" "$tools/bin/$emulator"; done
    rm -rf "$lists"
    emulates || {
        echo "cross: what was unpacked does not run: $tools/bin/$wanted" >&2
        exit 1
    }
    ;;
esac
