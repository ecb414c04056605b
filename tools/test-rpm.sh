#!/bin/sh
# The part of "make test-packages" for RPM: installs, switches, upgrades and removes the packages of build/rpm with rpm,
# and looks after every step which loader programs get, that ldconfig leaves it so, and that nothing is left behind.
#
# The machine is no RPM system: the root is tools/test-packages.sh's Debian 12 with the directories /usr/lib64 and
# /usr/lib of an RPM system, and an rpm database. The test builds the distribution's packages: "machine" stands for the
# base system, and vulkan-loader contains Debian's library, with its version and with a later one. Dependencies are
# checked.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."
tools/packages.sh test-packages debootstrap gcc-multilib dpkg-dev rpm

of=test-rpm
lib64=/usr/lib64
lib32=/usr/lib
# shellcheck source=tools/packages-root.sh
. tools/packages-root.sh
version=$(cat VERSION)-1
later=1.4.400

# ---- packages --------------------------------------------------------------------------------------------------------

# distribution NAME ARCHITECTURE SPEC builds a package of the distribution from the text of a spec file.
distribution() {
    printf '%s\n' "$3" > "$here/rpm/$1.spec"
    rpmbuild -bb --nodeps --target "$2" --define "_topdir $here/rpm/work" --define "_rpmdir $here/test" \
        --define '_rpmfilename %%{NAME}-%%{VERSION}.%%{ARCH}.rpm' --define 'debug_package %{nil}' \
        --define '__os_install_post %{nil}' "$here/rpm/$1.spec" > "$here/log" 2>&1 || {
        tail -n 15 "$here/log" >&2
        exit 1
    }
}

# loader VERSION ARCHITECTURE DIRECTORY FILE builds vulkan-loader with that version and library.
loader() {
    distribution vulkan-loader "$2" "Name: vulkan-loader
Version: $1
Release: 1
Summary: The distribution's Vulkan loader
License: Apache-2.0
%description
%{summary}.
%install
install -D -m 755 $4 %{buildroot}$3/libvulkan.so.$1
printf %s $1 >> %{buildroot}$3/libvulkan.so.$1
ln -s libvulkan.so.$1 %{buildroot}$3/libvulkan.so.1
%post -p /sbin/ldconfig
%postun -p /sbin/ldconfig
%files
$3/libvulkan.so.*"
}

make_test_rpm() {
    rm -rf "$here/test" "$here/rpm"
    mkdir -p "$here/test" "$here/rpm"
    cp build/rpm/*.rpm "$here/test"
    vulkan=$(rpm -qpl "$here/test/vkloader-libs-$version.x86_64.rpm" |
        sed -n 's/.*libvulkan\.so\.\(1\.4\.[0-9]*\)$/\1/p')
    for size in 64 32; do
        name=amd64 architecture=x86_64
        if [ $size = 32 ]; then name=i386 architecture=i686; fi
        dpkg-deb -x "$here"/base/var/cache/apt/archives/libvulkan1_*_$name.deb "$here/rpm/$name"
        file=$(find "$here/rpm/$name" -name 'libvulkan.so.1.*')
        old=${file##*/libvulkan.so.}
        for v in "$old" $later; do loader "$v" $architecture "$(directory $size)" "$file"; done
    done
    # The capabilities that rpm's generators find in this machine's C library.
    c=$(find "$here/base/lib/x86_64-linux-gnu/" "$here/base/lib/i386-linux-gnu/" -name 'lib[cm].so.6' |
        /usr/lib/rpm/elfdeps --provides | sed 's/^/Provides: /')
    distribution machine noarch "Name: machine
Version: 1
Release: 1
Summary: What every system has
License: Apache-2.0
BuildArch: noarch
Provides: /bin/sh /sbin/ldconfig coreutils rtld(GNU_HASH)
$c
%description
%{summary}.
%install
mkdir -p %{buildroot}/usr/share/fish/vendor_completions.d %{buildroot}/usr/share/licenses %{buildroot}/usr/share/zsh/site-functions
%files
%dir /usr/share/fish
%dir /usr/share/fish/vendor_completions.d
%dir /usr/share/licenses
%dir /usr/share/zsh/site-functions"
    # Builds the packages again as a later release, for an upgrade.
    RPM_OUTPUT=$here/next RPM_DIST=.next tools/rpm.sh x86_64 i686 > "$here/log"
    cp "$here/next"/*.rpm "$here/test"
    make_clients 64 gcc
    make_clients 32 "gcc -m32" i386
}

# ---- commands in a root ----------------------------------------------------------------------------------------------

rpm_in_root() { rpm --root "$root" --dbpath /var/lib/rpm "$@"; }

# packages COMMAND FILE|NAME... runs rpm, and prints its output only if it fails. Files are in /test.
packages() {
    if ! rpm_in_root "$@" > "$here/log" 2>&1 || grep -q 'scriptlet failed\|^error' "$here/log"; then
        fail "rpm $* failed:"
        tail -n 15 "$here/log" >&2
    fi
}
ours() { echo "$here/test/$1-$version.$2.rpm"; }
next() { echo "$here/test/$1-$version.next.$2.rpm"; }
theirs() { echo "$here/test/vulkan-loader-$1.x86_64.rpm $here/test/vulkan-loader-$1.i686.rpm"; }

# verified PACKAGE...: rpm reports no changed file of the packages.
verified() {
    told=$(rpm_in_root -V "$@" 2>&1) || : # judged by its output
    [ -z "$told" ] || fail "rpm -V $*: $told"
}

# changed: among the files of the distribution's packages, only the link has changed.
changed() {
    told=$(rpm_in_root -V vulkan-loader 2>&1) || : # judged by its output
    [ "$(printf '%s\n' "$told" | sed 's/.* //' | sort | paste -s -d ' ')" = \
        "$lib32/libvulkan.so.1 $lib64/libvulkan.so.1" ] ||
        fail "rpm -V vulkan-loader: $told"
}

# clean: no file of the project is left.
clean() {
    told=$(find "$root/usr" "$root/etc" -name '*vkloader*')
    [ -z "$told" ] || fail "left behind: $told"
}

# in_new TITLE begins a case, in a root with the distribution's loader for both word sizes.
in_new() {
    case_of "$1"
    on base
    echo $lib64 > "$root/etc/ld.so.conf.d/rpm.conf"
    mkdir -p "$root$lib64" "$root/var/lib/rpm"
    packages --initdb
    # shellcheck disable=SC2046
    packages -i "$here/test/machine-1.noarch.rpm" $(theirs "$old")
    both_theirs "$old"
}

install_ours() {
    packages -i "$(ours vkloader-libs x86_64)" "$(ours vkloader-libs i686)" "$(ours vkloader x86_64)" \
        "$(ours vkloader-devel x86_64)"
    both_ours "$vulkan"
}

# ---- cases -----------------------------------------------------------------------------------------------------------

there_and_back() {
    in_new "installed, and removed"
    install_ours
    verified vkloader vkloader-libs vkloader-devel
    changed
    told=$(rpm_in_root -q --whatprovides 'libvulkan.so.1()(64bit)' --qf '%{NAME}\n')
    [ "$told" = vulkan-loader ] || fail "libvulkan.so.1()(64bit) is provided by $told"
    packages -e --allmatches vkloader-devel vkloader-libs.i686
    gets_ours 64
    gets_theirs 32
    packages -e --allmatches vkloader-libs vkloader
    both_theirs "$old"
    verified vulkan-loader
    clean
}

units() {
    in_new "units: none is enabled, and none stays enabled after removal"
    quiet apt-get install -y -o Dpkg::Use-Pty=0 --no-install-recommends systemd
    listing "$here/listing.before"
    install_ours
    units_as_documented
    enable_units
    packages -e --allmatches vkloader-libs vkloader-devel vkloader
    same_as "$here/listing.before"
}

switch() {
    in_new "switching, and upgrades of either side afterwards"
    install_ours
    quiet vkloader system use distribution
    both_theirs "$old"
    verified vkloader vkloader-libs vkloader-devel vulkan-loader
    packages -U "$(next vkloader-libs x86_64)" "$(next vkloader-libs i686)" "$(next vkloader x86_64)" \
        "$(next vkloader-devel x86_64)"
    both_theirs "$old"
    # shellcheck disable=SC2046
    packages -U $(theirs $later)
    both_theirs $later
    quiet vkloader system use vkloader
    both_ours "$vulkan"
    quiet vkloader system status
    packages -U --replacepkgs "$(next vkloader-libs x86_64)" "$(next vkloader-libs i686)"
    both_ours "$vulkan"
    packages -e --allmatches vkloader-libs vkloader-devel vkloader
    both_theirs $later
    verified vulkan-loader
    clean
}

upgrade() {
    in_new "an upgrade of vulkan-loader, to a newer one than ours, leaves ours in force"
    install_ours
    # shellcheck disable=SC2046
    packages -U $(theirs $later)
    both_ours "$vulkan"
    verified vkloader-libs
    packages -U "$(next vkloader-libs x86_64)" "$(next vkloader-libs i686)" "$(next vkloader x86_64)" \
        "$(next vkloader-devel x86_64)"
    both_ours "$vulkan"
    verified vkloader-libs
    told=$(find "$root$lib64/vkloader" "$root$lib32/vkloader" -name .upgrade)
    [ -z "$told" ] || fail "left behind: $told"
    packages -e --allmatches vkloader-libs vkloader-devel vkloader
    both_theirs $later
    verified vulkan-loader
    clean
}

dependencies() {
    in_new "it does not go without a loader of the distribution's"
    packages -e --allmatches vulkan-loader
    if rpm_in_root -i "$(ours vkloader-libs x86_64)" > "$here/log" 2>&1; then fail "it was installed"; fi
    grep -qF 'libvulkan.so.1()(64bit) is needed' "$here/log" || fail "the reason: $(cat "$here/log")"
    # shellcheck disable=SC2046
    packages -i $(theirs "$old")
    install_ours
    if rpm_in_root -e --allmatches vulkan-loader > "$here/log" 2>&1; then fail "the distribution's was removed"; fi
    case="both go in one step"
    packages -e --allmatches vulkan-loader vkloader-libs vkloader-devel vkloader
    clean
    case="the distribution's was taken away by force"
    # shellcheck disable=SC2046
    packages -i $(theirs "$old")
    install_ours
    packages -e --allmatches --nodeps vulkan-loader
    gets_ours 64
    packages -e --allmatches vkloader-libs vkloader-devel vkloader
    clean
    told=$(find "$root$lib64" "$root$lib32" -maxdepth 1 -name 'libvulkan.so.1*')
    [ -z "$told" ] || fail "left behind: $told"
}

mkdir -p "$here"
end
make_base
make_test_rpm
for name in ${CASES:-there_and_back units switch upgrade dependencies}; do
    "$name"
done
finished
