#!/bin/sh
# Builds the core: build.sh FOLDER/libvkcore-ID.so. The id is taken from the file's name. What the flags are for is in
# docs/guest-rules.md; start.c has the functions behind --wrap, overlay/main.go the alterations of Go's runtime.
set -eu
[ $# = 1 ] || { echo "usage: $0 FOLDER/libvkcore-ID.so" >&2; exit 2; }
case $1 in
/*) out=$1 ;;
*) out=$PWD/$1 ;;
esac
cd "$(dirname "$0")/../.."
id=${out##*/libvkcore-}
id=${id%.so}
folder=${out%/*}
go=${GO:-go}

# The alterations were read against one line of releases; another Go fetches that one.
case $("$go" env GOVERSION) in
go1.26*) ;;
*)
    GOTOOLCHAIN=go1.26.8
    export GOTOOLCHAIN
    ;;
esac

root=$("$go" env GOROOT)
work=$folder/obj/libvkcore
mkdir -p "$work"
"$go" run ./cmd/libvkcore/overlay "$root" "$work"

wrap=
for f in sigaction pthread_create pthread_attr_getstacksize pthread_getattr_np pthread_attr_getstack \
    pthread_key_create setenv unsetenv malloc free; do
    wrap="$wrap -Wl,--wrap=$f"
done

# The id is an object of its own, so that a new one does not compile the runtime again.
printf 'extern const char vkcore_id_text[];\nconst char vkcore_id_text[] = "%s";\n' "$id" > "$work/id.c"
${CC:-gcc} -O2 -fPIC -fvisibility=hidden -c -o "$work/id.o" "$work/id.c"

CGO_ENABLED=1
export CGO_ENABLED
printf '{ global: vkcore_*; local: *; };\n' > "$work/exports.map"
# asyncpreemptoff: the runtime sends no signals. updatemaxprocs: it never asks again how many processors there are.
# decoratemappings: it names no mappings.
"$go" build -trimpath -buildvcs=false -buildmode=c-shared -overlay="$work/overlay.json" \
    -ldflags="-s -w ${SEARCH_FOLDERS:-} -X runtime.godebugDefault=asyncpreemptoff=1,updatemaxprocs=0,decoratemappings=0 \
-extldflags '$work/id.o $wrap -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs -Wl,-z,nodelete -Wl,--version-script=$work/exports.map'" \
    -o "$out.new" ./cmd/libvkcore
rm -f "$out.new.h" "${out%.so}.h" "$folder"/libvkcore-*.h
mv "$out.new" "$out"
