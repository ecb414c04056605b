#!/bin/sh
# "make release": release.sh DIRECTORY makes the files of a release from the last commit, in DIRECTORY:
#
#   vkloader-VERSION.tar.gz         the source, with the core in C, so that the library needs a C compiler alone
#   vkloader-VERSION.provenance     the commit, its date and the versions of the tools that made these files
#   SHA256SUMS                      checksums of the two
#
# The same commit gives the same bytes with the same tools. It neither tags nor publishes: it prints the commands for
# both.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
go=${GO:-go}
directory=${1:?release.sh DIRECTORY}
version=$(cat VERSION)
wrong=0
# agrees FILE FOUND checks the version found in another file.
agrees() {
    if [ "$2" != "$version" ]; then
        echo "release: VERSION says $version, $1 says ${2:-nothing}" >&2
        wrong=1
    fi
}
agrees debian/changelog "$(sed -n '1s/^vkloader (\(.*\)-[^-]*) .*/\1/p' debian/changelog)"
agrees packaging/rpm/vkloader.spec "$(sed -n 's/^Version: *//p' packaging/rpm/vkloader.spec)"
agrees packaging/alpine/APKBUILD "$(sed -n 's/^pkgver=//p' packaging/alpine/APKBUILD)"
if ! grep -q "^## ${version%.0} " CHANGELOG.md && ! grep -q "^## $version " CHANGELOG.md; then
    echo "release: CHANGELOG.md has no section \"## $version\"" >&2
    wrong=1
fi
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    echo "release: there are changes without a commit; a release is made of commits" >&2
    wrong=1
fi
[ $wrong = 0 ] || exit 1

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
mkdir -p "$directory"
name=$directory/vkloader-$version
make -s TARGET= dist DIST="$directory" DIST_TREE=HEAD
{
    echo "commit $(git rev-parse HEAD)"
    echo "SOURCE_DATE_EPOCH $SOURCE_DATE_EPOCH"
    "$go" version
    gcc --version | head -n 1
    ld --version | head -n 1
    git --version
    tar --version | head -n 1
    gzip --version | head -n 1
} > "$name.provenance"
(cd "$directory" && sha256sum "vkloader-$version.tar.gz" "vkloader-$version.provenance" > SHA256SUMS)
echo "release: $directory has"
(cd "$directory" && ls -l vkloader-"$version".* SHA256SUMS)
echo "release: to publish it, someone with the key runs:"
echo "    git tag -s v$version $(git rev-parse --short HEAD) -m 'vkloader $version' && git push origin v$version"
echo "    gpg --detach-sign --armor $directory/SHA256SUMS"
