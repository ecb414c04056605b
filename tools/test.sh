#!/bin/sh
# "make test": installs the Debian packages that the tests need when they are missing and it may, builds, and runs
# every check and test. Ends with go test's own lines.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

# What real programs, drivers and layers the tests use. Reading binaries: binutils. Displays: xvfb, weston.
packages="mesa-vulkan-drivers vulkan-tools vulkan-validationlayers libvulkan1 libvulkan-dev
    mangohud vkbasalt xvfb weston libcap2-bin libx11-6 libxcb1 libwayland-client0 binutils procps python3 pkg-config cmake"

missing=
if command -v dpkg-query > /dev/null; then
    for p in $packages; do
        state=$(dpkg-query -W -f '${Status}' "$p" 2> /dev/null || :)
        case $state in
        "install ok installed") ;;
        *) # pkg-config and others may be provided by a package of another name
            case $p in
            pkg-config | cmake) command -v "$p" > /dev/null || missing="$missing $p" ;;
            *) missing="$missing $p" ;;
            esac
            ;;
        esac
    done
else
    for p in vulkaninfo vkcube vkcube-wayland Xvfb weston readelf ps python3 pkg-config cmake; do
        command -v "$p" > /dev/null || missing="$missing $p"
    done
    if [ -n "$missing" ]; then
        echo "test: this is no Debian, so nothing is installed here; these programs are missing:$missing" >&2
        exit 1
    fi
fi
if [ -n "$missing" ]; then
    as=
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2> /dev/null; then
            as="sudo -n"
        else
            echo "test: these packages are missing:$missing" >&2
            echo "test: installing them needs root; run this, then again make test:" >&2
            echo "    sudo apt-get install --no-install-recommends$missing" >&2
            exit 1
        fi
    fi
    echo "test: installing$missing"
    log=$(mktemp)
    # shellcheck disable=SC2086
    if ! { $as apt-get update && $as env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        $missing; } > "$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "test: the packages could not be installed:$missing" >&2
        exit 1
    fi
    rm -f "$log"
fi

make -s -j"$(nproc)" all asan tsan

echo "test: gofmt"
gofmt=$(command -v gofmt || echo "$("$go" env GOROOT)/bin/gofmt")
unformatted=$(git ls-files '*.go' 2> /dev/null | xargs -r "$gofmt" -l)
if [ -n "$unformatted" ]; then
    echo "test: gofmt would change: $unformatted" >&2
    exit 1
fi
echo "test: go vet"
"$go" vet ./...
echo "test: go test"
"$go" test -count 1 -p 2 -parallel 4 -timeout 25m ./...
# The same cases once more on the library with sanitizers: those that go through the host program.
echo "test: go test, with the address and undefined-behaviour sanitizers"
exec env VKLOADER_TEST_BUILD=asan "$go" test -count 1 -p 2 -parallel 4 -timeout 25m ./test/chain ./test/debug \
    ./test/discovery ./test/dispatch ./test/drivers ./test/instance ./test/layers ./test/memory ./test/physdev ./test/wsi
