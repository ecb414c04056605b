#!/bin/sh
# way-back.sh, run as root in a system with libvulkan1-vkloader, breaks the installation in the ways of
# docs/blockers.md, restores it with the page's commands, and checks that a program works. tools/test-debian.sh runs it
# in a separate system.
set -eu
triplet=$(ldd /bin/sh | sed -n "s|.* /\(usr/\)\{0,1\}lib/\([^/]*\)/libc\.so.*|\2|p" | head -n 1)
directory=/usr/lib/$triplet
packages=$(echo /packages/libvulkan1-vkloader_*.deb)
works() {
    case $(readlink -f "$directory/libvulkan.so.1") in
    "$directory/"libvulkan.so.1.[0-9]*) ;;
    *)
        echo "way-back: $1: libvulkan.so.1 leads to $(readlink -f "$directory/libvulkan.so.1")" >&2
        exit 1
        ;;
    esac
    vulkaninfo --summary 2> /dev/null | grep -q 'deviceName *= llvmpipe'
    echo "way-back: $1: the distribution's loader works"
}
again() { # everything as installed
    dpkg -i "$packages" > /dev/null 2>&1
    vulkaninfo --summary 2> /dev/null | grep -q 'deviceName *= llvmpipe'
}

again
rm "$directory/vkloader/"libvulkan.so.1.*
dpkg --remove libvulkan1-vkloader > /dev/null 2>&1
works "the library was deleted, then dpkg --remove"

# Half installed: the postinst script fails.
again
mkdir /tmp/half
dpkg-deb -R "$packages" /tmp/half
printf '#!/bin/sh\nexit 1\n' > /tmp/half/DEBIAN/postinst
dpkg-deb -b /tmp/half /tmp/half.deb > /dev/null
if dpkg -i /tmp/half.deb > /dev/null 2>&1; then echo "way-back: the broken package installs" >&2; exit 1; fi
dpkg --remove --force-remove-reinstreq libvulkan1-vkloader > /dev/null 2>&1
works "the package is half installed, then dpkg --remove --force-remove-reinstreq"
rm -rf /tmp/half /tmp/half.deb

# Unpacked but not configured, as after a power failure.
again
dpkg --unpack "$packages" > /dev/null 2>&1
dpkg --configure -a > /dev/null 2>&1
vulkaninfo --summary 2> /dev/null | grep -q 'deviceName *= llvmpipe'
apt-get -q -y remove libvulkan1-vkloader > /dev/null 2>&1
works "the package is not configured, then dpkg --configure -a and apt-get remove"

again
mv /usr/bin/vkloader /usr/bin/vkloader.away
dpkg --remove libvulkan1-vkloader > /dev/null 2>&1
mv /usr/bin/vkloader.away /usr/bin/vkloader
works "the tool is missing, then dpkg --remove"

# The commands of the page, with busybox only.
again
busybox sh -c "cd $directory"' && busybox ln -sf "$(busybox readlink libvulkan.so.1.distrib)" libvulkan.so.1 && busybox rm -f libvulkan.so.1.99.vkloader'
ldconfig
works "busybox alone, then ldconfig"
echo "way-back: all passed"
