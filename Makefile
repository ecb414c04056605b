# Builds vkloader into build/. Needs Go, a C compiler and GNU make; no Vulkan headers, no network beyond Go modules.
# "make help" lists the targets; V=1 shows the commands.
#
# Where the files come from:
#   internal/core, by tools/goc              build/core.c: the core, in C
#   spine/*/*.c and spine/*/linux            with the core build/libvulkan.so.1.4.<header version>, and its links
#   cmd/vkloader, internal/decide/probe/child  build/vkloader, build/libexec/vkloader/probe, and, written by the tool itself,
#                                            man pages and completions in build/share
#   drivers/<name>/*.c, *.json               build/drivers/libvk_<name>.so, and manifests in the same directory
#   layers/<name>/*.c, *.json                build/layers/libVkLayer_<name>.so, and manifests in the same directory
# The rules of a directory are in its build.mk. internal/machines has the compilers and flags of machines and systems:
# the value of NAME for a system is NAME_linux, NAME_windows or NAME_macos.
#
# TARGET: a machine of internal/machines/machines.txt, or musl: builds the library, drivers and layers below
# build/TARGET. TARGET=windows builds them for Windows, for both word sizes, in windows/x64 and windows/x86.
# TARGET=macos builds them for both machines of macOS, in macos/x86_64 and macos/arm64, then joins the libraries and
# tools of both: build/macos/libvulkan.1.dylib. PORTABLE=1 builds them for any glibc since 2.17, below build/portable or
# build/TARGET/portable.

, := ,
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all
.SECONDEXPANSION:
.DELETE_ON_ERROR:

GO ?= go
# Goals that need no Go; the library of "make dist" contains the core in C.
WITHOUT_GO := help clean install-only uninstall fakes $(if $(wildcard spine/gen/core.c),spine core drivers layers)
ifneq ($(filter-out $(WITHOUT_GO),$(or $(MAKECMDGOALS),all)),)
ifneq ($(CHECKED_GO),$(GO))
ifneq ($(shell tools/go.sh $(GO) && echo yes),yes)
$(error There is no Go to build with)
endif
export CHECKED_GO := $(GO)
endif
endif
TARGET ?=
PORTABLE ?=
V ?= 0
Q := $(if $(filter 0,$(V)),@)
ifneq ($(filter windows macos,$(TARGET)),)
include internal/machines/several.mk
else
PYTHON ?= python3
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
LIBEXECDIR ?= $(PREFIX)/libexec
DATADIR ?= $(PREFIX)/share
# The directories that are searched for manifests and the settings file (PATH-3, PATH-4). If SYSCONFDIR is not given,
# /etc is searched, too. On macOS, the data directory of another prefix, as Homebrew's, is searched before the usual
# ones.
EXTRASYSCONFDIR := $(if $(SYSCONFDIR),,$(if $(filter /usr,$(PREFIX)),,/etc))
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),,$(PREFIX))/etc
DATADIRS := $(if $(filter /usr /usr/local,$(PREFIX)),,$(DATADIR):)/usr/local/share:/usr/share
DESTDIR ?=
VK_XML ?= registry/vk.xml
# Quotes a text, which may have spaces and apostrophes, as one word for the shell.
quoted = '$(subst ','\'',$(1))'
say = @printf '  %-6s %s\n' '$(1)' '$(2)'

B := build$(addprefix /,$(TARGET))$(if $(PORTABLE),/portable)
include internal/machines/machine.mk
RELEASE := $(shell cat VERSION)
HEADER_VERSION := $(or $(shell sed -n 's/^.define VKL_HEADER_VERSION \([0-9]*\).*/\1/p' spine/gen/zversion.h 2>/dev/null),0)
VERSION := 1.4.$(HEADER_VERSION)

include internal/machines/flags.mk
# A change of these files rebuilds everything.
RULES := Makefile $(wildcard internal/machines/*.mk)

.PHONY: all fakes run test test-all test-fresh clean help FORCE
all: build/go.mod spine core $(if $(PORTABLE)$(filter-out windows/%,$(TARGET)),,tool) drivers layers $(if $(PORTABLE),,fakes)

# Go's pattern ./... leaves out a directory with a go.mod.
build/go.mod:
	$(Q)mkdir -p $(@D) && : > $@

help:
	@echo 'make                 build everything into build/'
	@echo 'make run             build, and show what this machine has, through build/libvulkan.so.1'
	@echo 'make test            install the Debian packages that the tests need (tools/test-packages.txt), build, and run the suites'
	@echo 'make test-all        also with sanitizers and the race detector, the translator, and every TARGET'
	@echo 'make test-fresh      the same on a machine that has nothing: a Debian of its own (root; FRESH_CACHE=DIR keeps packages)'
	@echo 'make spine | core | tool | drivers | layers | fakes      build one part'
	@echo 'make asan | tsan     the library with sanitizers, in build/asan and build/tsan'
	@echo 'make bench           install what it needs (Debian), build, and compare with the system'"'"'s loader'
	@echo 'make bench-programs     what the benchmarks are made of, for a machine without Go: docs/benchmarks.md'
	@echo 'make mutants         how many planted faults the tests find (long)'
	@echo 'make abi             compare the binary interface with that of Debian'"'"'s libvulkan1'
	@echo 'make conformance     build/conformance.md: every statement with its tests, or the reason for none'
	@echo 'make generate        the generated files, from registry/vk.xml or another registry (VK_XML=...)'
	@echo 'make generate-check  that the generated files are what the registry gives'
	@echo 'make install DESTDIR= PREFIX=/usr/local'
	@echo 'make uninstall       remove what make install has put there'
	@echo 'make dist            build/vkloader-$(RELEASE).tar.gz: the source, with the core in C'
	@echo 'make TARGET=macos dist      build/macos/vkloader-$(RELEASE)-macos.zip: dylib and tool for both machines, and how to install them'
	@echo 'make TARGET=windows dist    build/windows/vkloader-$(RELEASE)-windows.zip: DLL and tool, with manifests for winget and Scoop'
	@echo 'make deb             Debian packages for amd64, i386 and arm64, into build/deb: docs/packages.md'
	@echo 'make test-debian     Debian packages as Debian builds them, in a Debian sid without a network (root; fetches it once)'
	@echo 'make release         the files of a release, from the last commit: docs/release.md'
	@echo 'make rpm             RPM packages, into build/rpm'
	@echo 'make test-packages   all packages, in systems of their own (root; fetches them once)'
	@echo 'make test-service    systems without a driver that get one by a socket (root; fetches them once)'
	@echo 'make TARGET=...      build for another machine of internal/machines/machines.txt, windows, macos, or musl for that C library, into build/TARGET'
	@echo 'make PORTABLE=1      the library, drivers and layers for every glibc since 2.17, into build/portable; with TARGET, too'
	@echo 'make test TARGET=...   the tests that judge the library, on that machine'
	@echo 'make test-containers  the commands of docs/containers.md, in Podman, Flatpak and bubblewrap (root; fetches systems once)'
	@echo 'make clean           remove build/'
	@echo 'V=1 shows the commands.'

# The tests compile their host and their fakes themselves; a build.mk below test/ adds their other programs.
fakes:

# ---- the README's two commands ----------------------------------------------------------------------------------

run: all
	@echo
	@$(B)/vkloader list devices --details || { echo 'With the null driver:'; \
		$(B)/vkloader list devices --details --env VK_DRIVER_FILES=$(B)/drivers/null_icd.json; }

test:
	$(Q)$(if $(TARGET),tools/target.sh $(TARGET),tools/test.sh)

# The other machines fetch compilers and systems; Windows needs root.
test-all:
	$(Q)tools/test.sh all
	$(Q)for target in $(filter-out amd64,$(call machines,,1)) musl windows macos; do $(MAKE) --no-print-directory test TARGET=$$target || exit 1; done

# In a minimal Debian 12 with the README's requirements; needs root, and the network.
test-fresh:
	$(Q)GO='$(GO)' tools/test-fresh.sh

clean:
	rm -rf $(B)

include internal/core/build.mk spine/build.mk internal/decide/probe/build.mk cmd/vkloader/build.mk drivers/build.mk tools/build.mk \
	packaging/build.mk
include $(wildcard drivers/*/build.mk layers/*/build.mk test/*/*/build.mk)
endif
