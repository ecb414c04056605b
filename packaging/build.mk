# Installation, archives and packages, and the tests of packages and containers in separate systems.

.PHONY: install install-only uninstall dist release deb rpm test-debian test-packages test-service test-containers
# install-only installs the existing build, for packages.
install: all
	$(Q)$(MAKE) --no-print-directory install-only
install-only:
	$(Q)BUILD=$(call quoted,$(B)) BITS='$(BITS)' DESTDIR=$(call quoted,$(DESTDIR)) PREFIX=$(call quoted,$(PREFIX)) LIBDIR=$(call quoted,$(LIBDIR)) BINDIR=$(call quoted,$(BINDIR)) INCLUDEDIR=$(call quoted,$(INCLUDEDIR)) \
		LIBEXECDIR=$(call quoted,$(LIBEXECDIR)) DATADIR=$(call quoted,$(DATADIR)) VERSION='$(VERSION)' tools/install.sh

uninstall:
	$(Q)BUILD=$(call quoted,$(B)) DESTDIR=$(call quoted,$(DESTDIR)) PREFIX=$(call quoted,$(PREFIX)) LIBDIR=$(call quoted,$(LIBDIR)) BINDIR=$(call quoted,$(BINDIR)) \
		INCLUDEDIR=$(call quoted,$(INCLUDEDIR)) LIBEXECDIR=$(call quoted,$(LIBEXECDIR)) DATADIR=$(call quoted,$(DATADIR)) tools/uninstall.sh

# Makes an archive of the last commit's source with the core in C: "make spine" in it needs only a C compiler and make.
# DIST: the directory for the archive; DIST_TREE: another tree of git.
DIST := $(B)
DIST_TREE := HEAD
dist: build/core.c
	$(Q)tools/dist.sh $(RELEASE) build/core.c '$(DIST)' '$(DIST_TREE)'

# Makes the files of a release from the last commit.
RELEASE_FILES ?= build/release
release:
	$(Q)GO='$(GO)' tools/release.sh '$(RELEASE_FILES)'

# Builds and tests the Debian packages as Debian does, in a Debian sid without a network. DEBIAN_STEPS: only these
# steps.
test-debian:
	$(Q)tools/test-debian.sh $(DEBIAN_STEPS)

# Builds the Debian packages into build/deb. ARCHITECTURES="amd64 i386": only for these.
deb:
	$(Q)GO='$(GO)' tools/deb.sh $(ARCHITECTURES)

# Builds RPM packages of the last commit into build/rpm. ARCHITECTURES="x86_64": only for this one.
rpm: dist
	$(Q)GO='$(GO)' tools/rpm.sh $(ARCHITECTURES)

# Installs, upgrades, switches and removes the packages in separate systems below build/packages; needs root.
test-packages:
	$(Q)tools/packages.sh test-packages debootstrap debhelper dpkg-dev lintian gcc-multilib binutils-i686-linux-gnu rpm musl-tools busybox
	$(Q)$(MAKE) --no-print-directory deb ARCHITECTURES='amd64 i386 arm64'
	$(Q)$(MAKE) --no-print-directory rpm ARCHITECTURES='x86_64 i686'
	$(Q)tools/test-packages.sh
	$(Q)tools/test-rpm.sh
	$(Q)GO='$(GO)' tools/test-alpine.sh

# Runs programs in systems without a driver, with the socket of a driver service or a CDI file; needs root.
test-service: all
	$(Q)tools/test-service.sh

# Runs the commands of docs/containers.md; needs root.
test-containers: all
	$(Q)tools/packages.sh test-containers podman bubblewrap debootstrap uidmap gcc-multilib musl-tools vulkan-tools mesa-vulkan-drivers \
		flatpak dbus
	$(Q)$(MAKE) --no-print-directory PORTABLE=1 spine
	$(Q)$(MAKE) --no-print-directory PORTABLE=1 TARGET=i386 spine layers
	$(Q)$(MAKE) --no-print-directory TARGET=musl spine drivers
	$(Q)tools/test-containers.sh
