#!/bin/sh
# emulator.sh TARGET [fetch] prints the command that starts programs of TARGET on this machine: an emulator with its
# arguments, or nothing if the kernel runs them itself. Tests (world.Command) and scripts use only this script to find
# it. If the emulator is missing, the script says so and exits with 1; with "fetch", tools/cross.sh unpacks it first.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
target=$1

# Many kernels for x86-64 run no i386 programs: they are built without support, or started with ia32_emulation=off. The
# function runs a small i386 program: an ELF file with a header, one segment and four instructions, which exits with 42.
runs_narrow() {
    directory=$(mktemp -d "${TMPDIR:-/tmp}/vkloader-i386.XXXXXX")
    {
        printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'
        printf '\1\0\0\0\0\0\0\0\0\200\4\10\0\200\4\10\134\0\0\0\134\0\0\0\5\0\0\0\0\20\0\0'
        printf '\61\300\100\263\52\315\200\364' # xor %eax, %eax; inc %eax; mov $42, %bl; int $0x80; hlt
    } > "$directory/program"
    chmod +x "$directory/program"
    # If the kernel refuses the file, the shell reads it as a script, which exits with another code.
    code=0
    "$directory/program" > /dev/null 2>&1 < /dev/null || code=$?
    rm -rf "$directory"
    [ $code = 42 ]
}

# field N prints field N of the target's row.
field() { awk -v t="$target" -v n="$1" '$1 == t { print $n }' internal/machines/machines.txt; }
emulator=$(field 10)
# The machine's name in the table. uname has several names for 32-bit ARM.
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
# A cross compiler's C library is not where its programs look for it.
if [ ! -e "${linker%%,*}" ] && command -v "$compiler" > /dev/null; then
    libc=$($compiler -print-file-name=libc.so.6)
    path="$path -L $(readlink -f "${libc%/*}/..")"
fi
echo "$path"
