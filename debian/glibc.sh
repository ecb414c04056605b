#!/bin/sh
# glibc.sh DIRECTORY: prints the newest version of glibc's symbols that an ELF file below DIRECTORY needs, such as 2.34.
set -eu
find "$1" -type f | while read -r file; do
    readelf -V -W "$file" 2> /dev/null || : # a file of another kind
done | sed -n 's/.*Name: GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1
