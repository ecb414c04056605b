#!/bin/sh
# emulator.sh TARGET [fetch]: prints what starts programs of TARGET on this machine: an emulator with its arguments, or nothing
# where the kernel runs them itself. The tests (world.Command) and the scripts ask here and nowhere else.
# Exits with 1, and says why, when an emulator is needed and is not there; "fetch" has tools/cross.sh unpack it first.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
target=$1

# Many kernels for x86-64 run no programs of i386: they are built without, or started with ia32_emulation=off. This one only
# ends, with code 42: an ELF file of a header, one segment and four instructions.
runs_narrow() {
    directory=$(mktemp -d "${TMPDIR:-/tmp}/vkloader-i386.XXXXXX")
    {
        printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'
        printf '\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\134\0\0\0\134\0\0\0\5\0\0\0\0\20\0\0'
        printf '\61\300\100\263\52\315\200\364' # xor %eax, %eax; inc %eax; mov $42, %bl; int $0x80; hlt
    } > "$directory/program"
    chmod +x "$directory/program"
    # A shell takes a file that the kernel refuses for a script, which this is not: another code.
    code=0
    "$directory/program" > /dev/null 2>&1 < /dev/null || code=$?
    rm -rf "$directory"
    [ $code = 42 ]
}

# field N: a field of the target's row.
field() { awk -v t="$target" -v n="$1" '$1 == t { print $n }' internal/machines/machines.txt; }
emulator=$(field 10)
# The machine's name in the table, of which uname has several for 32-bit ARM.
own=$(uname -m)
case $own in
armv[4-6]*) own=armel ;;
armv*) own=armhf ;;
mips64) own=mips64el ;;
esac
if [ -z "$emulator" ] || [ "$own" = "$(field 2)" ]; then exit 0; fi
if [ "$target" = i386 ] && runs_narrow; then exit 0; fi
compiler=$(field 7)-gcc
linker=$(field 11)

if [ "${2:-}" = fetch ]; then tools/cross.sh emulator "$target" >&2; fi
PATH=$PWD/build/emulators/bin:$PWD/build/cross/bin:$PATH
path=$(command -v "$emulator") || {
    echo "this kernel runs no programs of $target, and there is no $emulator: tools/emulator.sh $target fetch" >&2
    exit 1
}
# The C library of a cross compiler is not where its programs look.
if [ ! -e "${linker%%,*}" ] && command -v "$compiler" > /dev/null; then
    libc=$($compiler -print-file-name=libc.so.6)
    path="$path -L $(readlink -f "${libc%/*}/..")"
fi
echo "$path"
