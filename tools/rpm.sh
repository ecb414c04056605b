#!/bin/sh
# "make rpm": rpm.sh [ARCHITECTURE...] builds the RPM packages and the source package into build/rpm, from "make dist"'s
# archive, by default for the machine and, on x86_64, for i686. On an RPM system it requires the spec file's build
# dependencies; on others rpmbuild and the compilers are enough. The same commit gives the same payload: the date comes
# from debian/changelog. RPM_OUTPUT replaces build/rpm; RPM_DIST is the suffix of the release.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
if ! command -v rpmbuild > /dev/null; then PROGRAMS=rpmbuild tools/packages.sh rpm rpm; fi

archive=build/vkloader-$(cat VERSION).tar.gz
machine=$(rpm --eval '%{_arch}')
[ -e "$archive" ] || {
    echo "rpm: there is no $archive: make rpm makes it first" >&2
    exit 1
}
if [ $# -eq 0 ]; then
    set -- "$machine"
    if [ "$machine" = x86_64 ]; then set -- x86_64 i686; fi
fi
go=$(command -v "${GO:-go}")
PATH=$(dirname "$go"):$PATH
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%s)
export PATH SOURCE_DATE_EPOCH
# Variables exported by the calling Makefile are for its own build.
unset CC TARGET TARGET_CC CGO_ENABLED MAKEFLAGS MAKELEVEL MFLAGS GOARCH
# Debian's rpm does not know the installed packages, so it cannot check build dependencies.
nodeps=
if command -v dpkg > /dev/null; then nodeps=--nodeps; fi

output=${RPM_OUTPUT:-$PWD/build/rpm}
mkdir -p "$output"
rm -f "$output/vkloader"*"${RPM_DIST:-}".*.rpm
for architecture; do
    echo "rpm: $architecture"
    (
        if [ "$architecture" = i686 ] && [ "$machine" = x86_64 ]; then
            export GOARCH=386
            CC="gcc -m32"
            if ! echo 'int main(void) { return 0; }' |
                $CC -x c -o /dev/null - 2> /dev/null; then CC=i686-linux-gnu-gcc; fi
            export CC
            set -- setarch i686
        elif [ "$architecture" != "$machine" ]; then
            echo "rpm: $architecture is not built here: the spec file runs what it has built, for its man pages" >&2
            exit 1
        else
            set --
        fi
        "$@" rpmbuild -ba $nodeps --target "$architecture" --define "_topdir $output/work" \
            --define "_sourcedir $PWD/build" --define "_rpmdir $output" --define "_srcrpmdir $output" \
            ${RPM_DIST:+--define "dist $RPM_DIST"} \
            --define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' --define "_buildhost vkloader" \
            --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
            packaging/rpm/vkloader.spec
    ) > "$output/$architecture.log" 2>&1 || {
        tail -n 30 "$output/$architecture.log" >&2
        echo "rpm: building for $architecture failed; all of it is in $output/$architecture.log" >&2
        exit 1
    }
done
rm -rf "$output/work"
ls "$output/vkloader"*"${RPM_DIST:-}".*.rpm
