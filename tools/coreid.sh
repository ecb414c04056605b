#!/bin/sh
# Prints the id of the core: the first 12 hex digits of a hash over everything that goes into it (its Go and C sources
# inside this module, its build script and overlay, the compilers). Reads only.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
if [ ! -d cmd/libvkcore ]; then
    echo 000000000000
    exit
fi
{
    "$go" version
    "${CC:-gcc}" --version | head -n 1
    echo "${GOFLAGS:-} ${CGO_CFLAGS:-} ${CGO_LDFLAGS:-} ${GOAMD64:-} ${SEARCH_FOLDERS:-}"
    # Every file of the command's own folder, tests aside, and the sources of the packages below it.
    {
        find cmd/libvkcore -type f ! -name '*_test.go' ! -path '*/testdata/*'
        "$go" list -deps -f '{{if and .Module (not .Standard)}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .CgoFiles}}{{$d}}/{{.}}
{{end}}{{range .CFiles}}{{$d}}/{{.}}
{{end}}{{range .HFiles}}{{$d}}/{{.}}
{{end}}{{range .SFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}{{end}}' ./cmd/libvkcore | sed "/^\$/d; s|^$(pwd)/||"
        echo go.mod
        echo spine/abi.h
    } | LC_ALL=C sort -u | while IFS= read -r f; do
        printf '%s ' "$f"
        sha256sum < "$f"
    done
} | sha256sum | cut -c 1-12
