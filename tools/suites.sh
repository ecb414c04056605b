# suites.sh is sourced in the repository's root by the scripts that test the library of another machine or system.
# shellcheck shell=sh
# shellcheck disable=SC2034 # they use the variables
# The suites that judge the library on every system; those that also run with sanitizers.
sanitized="./test/loader/chain ./test/loader/debug ./test/loader/discovery ./test/loader/dispatch ./test/loader/drivers
    ./test/loader/instance ./test/loader/layers ./test/loader/physdev ./test/loader/wsi"
suites="./test/loader/library $sanitized"

# leave_out SYSTEM FILE... prints the tests that the files list, with the reasons, and sets $skip for go test's flag.
leave_out() {
    system=$1
    shift
    left=$(sed '/^#/d' "$@")
    printf '%s\n' "$left" | sed -n "s/^./test: $system leaves out: &/p"
    skip="^($(printf '%s\n' "$left" | cut -d ' ' -f 1 | paste -s -d '|'))\$"
}
