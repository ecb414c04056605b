#!/bin/sh
# rename-module.sh PATH gives the Go module another path, such as example.org/vulkan/vkloader, in every file that git
# lists: imports, linker flags, go:generate lines and pages. The recorded API of discover (discover/testdata/api) is not
# changed; the next release records it again.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
new=${1:?usage: tools/rename-module.sh PATH}
case $new in
*[!A-Za-z0-9._~/-]* | /* | */)
    echo "rename-module: $new is no path of a module" >&2
    exit 2
    ;;
esac
old=$(sed -n 's/^module //p' go.mod)
# Paths of installed files, such as /usr/lib/vkloader/internal, are not import paths: a slash precedes the name, or the
# next component is no directory of the repository.
houses=$(git ls-files | sed -n 's,/.*,,p' | sort -u | paste -s -d '|')
escaped=$(printf %s "$old" | sed 's/[.]/\\./g')
git grep -lI -e "$old" -- . ':!CHANGELOG.md' ':!spine' ':!registry' | while read -r file; do
    sed -E -i \
        -e "s,(^|[^A-Za-z0-9_./-])$escaped/($houses)([^A-Za-z0-9_-]|\$),\\1$new/\\2\\3,g" \
        -e "s,(^|[^A-Za-z0-9_./-])$escaped/($houses)([^A-Za-z0-9_-]|\$),\\1$new/\\2\\3,g" \
        -e "s,^module $escaped\$,module $new," \
        -e "s,(require|replace) $escaped (v0|=>),\\1 $new \\2,g" \
        -e "s,^(const module = \")$escaped/\",\\1$new/\"," \
        -e "s,\"init $escaped/\",\"init $new/\"," "$file"
done
git ls-files '*.go' | xargs gofmt -w
