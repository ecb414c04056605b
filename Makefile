# Builds vkloader into build/. Needs Go, a C compiler and GNU make; no Vulkan headers, no network beyond Go modules.
# "make help" lists the targets; V=1 shows the commands.
#
# Where things come from:
#   internal/core, by tools/goc              build/core.c: the core, in C
#   spine/*/*.c and spine/*/linux           with it build/libvulkan.so.1.4.<header version>, and its links
#   cmd/vkloader, internal/decide/probe/child  build/vkloader, build/libexec/vkloader/probe, and from the tool itself
#                                            its man pages and completions, build/share
#   drivers/<name>/*.c, *.json               build/drivers/libvk_<name>.so, and the manifests beside it
#   layers/<name>/*.c, *.json                build/layers/libVkLayer_<name>.so, and the manifests beside it
# A directory with special build rules has a build.mk, which is included at the end.
#
# TARGET= a machine of internal/machines/machines.txt, or musl, builds the library, drivers and layers below build/TARGET;
# TARGET=windows builds them for Windows, for both word sizes: windows/x64 and windows/x86. TARGET=macos builds the library for
# both machines of macOS, macos/x86_64 and macos/arm64, then one file of both, build/macos/libvulkan.1.dylib. PORTABLE=1 builds
# them for any glibc since 2.17, below build/portable or build/TARGET/portable.

, := ,
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all
.SECONDEXPANSION:
.DELETE_ON_ERROR:

GO ?= go
TARGET ?=
PORTABLE ?=
V ?= 0
Q := $(if $(filter 0,$(V)),@)
ifeq ($(TARGET),windows)
.PHONY: all spine core tool drivers layers fakes test dist
DIST ?= build/windows
dist: spine tool
	$(Q)$(MAKE) --no-print-directory TARGET= build/share/stamp
	$(Q)GO='$(GO)' tools/dist-windows.sh $(shell cat VERSION) $(DIST)
all spine core tool drivers layers fakes:
	$(Q)$(MAKE) --no-print-directory TARGET=windows/x64 $@
	$(Q)$(MAKE) --no-print-directory TARGET=windows/x86 $@
test:
	$(Q)GO='$(GO)' tools/windows.sh
else ifeq ($(TARGET),macos)
.PHONY: all spine core test dist zig
MACHINES := x86_64 arm64
all: spine
# The compiler, before the Makefile is read for a machine.
zig:
	$(Q)tools/zig.sh > /dev/null
core spine: zig
	$(Q)$(foreach m,$(MACHINES),$(MAKE) --no-print-directory TARGET=macos/$(m) $@ &&) :
	$(if $(filter spine,$@),$(Q)CGO_ENABLED=0 $(GO) run ./tools/universal -o build/macos/libvulkan.1.dylib $(MACHINES:%=build/macos/%/libvulkan.1.dylib))
test:
	$(Q)GO='$(GO)' tools/macos.sh
DIST ?= build/macos
dist: all
	$(Q)GO='$(GO)' tools/dist-macos.sh $(shell cat VERSION) $(DIST)
else
# The rows of the table: a field by the target's name, or the names of all targets.
machines = $(shell awk '!/^\#/ && ("$(1)" == "" || $$1 == "$(1)") { print $$$(2) }' internal/machines/machines.txt)
# An installed cross compiler, or what tools/cross.sh has unpacked.
cross = $(or $(notdir $(shell command -v $(1))),$(wildcard $(CURDIR)/build/cross/bin/$(1)))
ifneq ($(filter $(TARGET),$(call machines,,1)),)
TRIPLET := $(call machines,$(TARGET),7)
COMPILER_$(TARGET) := $(or $(call cross,$(TRIPLET)-gcc),$(TRIPLET)-gcc)
endif
# gcc-multilib's compiler, unless a cross compiler is installed.
COMPILER_i386 := $(or $(notdir $(shell command -v i686-linux-gnu-gcc)),gcc -m32)
COMPILER_musl := musl-gcc
COMPILER_windows/x64 := x86_64-w64-mingw32-gcc
COMPILER_windows/x86 := i686-w64-mingw32-gcc
COMPILER_windows/arm64 := $(CURDIR)/build/zig/zig cc -target aarch64-windows-gnu
# tools/zig.sh unpacks it. macOS 11 is the first one for arm64.
COMPILER_macos/x86_64 := $(CURDIR)/build/zig/zig cc -target x86_64-macos.11.0
COMPILER_macos/arm64 := $(CURDIR)/build/zig/zig cc -target aarch64-macos.11.0
ifneq ($(TARGET),)
ifeq ($(COMPILER_$(TARGET)),)
$(error There is no TARGET=$(TARGET), but $(call machines,,1), musl, windows and macos; docs/porting.md lists what a machine needs)
endif
endif
ifneq ($(filter default environment,$(origin CC)),)
CC := $(or $(COMPILER_$(TARGET)),$(if $(filter environment,$(origin CC)),$(CC),gcc))
endif
PYTHON ?= python3
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
LIBEXECDIR ?= $(PREFIX)/libexec
DATADIR ?= $(PREFIX)/share
# Where manifests and the settings file are searched (PATH-4): when the directory was not chosen, /etc is searched, too.
EXTRASYSCONFDIR := $(if $(SYSCONFDIR),,$(if $(filter /usr,$(PREFIX)),,/etc))
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),,$(PREFIX))/etc
export SEARCH_DIRECTORIES := -X vkloader/internal/core/search.linuxSysConfDir=$(SYSCONFDIR) \
	-X vkloader/internal/core/search.linuxExtraDir=$(EXTRASYSCONFDIR)
DESTDIR ?=
VK_XML ?= registry/vk.xml
say = @printf '  %-6s %s\n' '$(1)' '$(2)'

B := build$(addprefix /,$(TARGET))$(if $(PORTABLE),/portable)
# The machine that the compiler makes code for, by its predefined macros: "gcc -m32" has another machine's name.
MACROS := $(shell $(CC) -dM -E -x c /dev/null 2> /dev/null | cut -d ' ' -f 2)
BITS := $(if $(filter __LP64__ _WIN64,$(MACROS)),64,32)
WINDOWS := $(filter _WIN32,$(MACROS))
MACOS := $(filter __APPLE__,$(MACROS))
MACHINE := $(foreach row,$(shell awk '!/^\#/ { print $$2 "," $$6 }' internal/machines/machines.txt),$(if \
	$(filter-out $(MACROS),$(wordlist 2,9,$(subst $(,), ,$(row)))),,$(firstword $(subst $(,), ,$(row)))))
# Windows has 64-bit pointers and 32-bit longs.
MACHINE := $(or $(strip $(MACHINE)),$(if $(filter __x86_64__,$(MACROS)),$(if $(filter _WIN64,$(MACROS)),x86_64)))
# Windows and Apple have other names of macros for arm64.
MACHINE := $(or $(MACHINE),$(if $(MACOS)$(WINDOWS),$(if $(filter __aarch64__,$(MACROS)),aarch64)))
# Files below a directory of this name are this system's own; those below posix/ are Linux's and macOS's, those below plain/
# Windows' and macOS's.
SYSTEM := $(if $(WINDOWS),windows,$(if $(MACOS),macos,linux))
SYSTEM_DIRECTORIES := $(SYSTEM) $(if $(WINDOWS),,posix) $(if $(filter linux,$(SYSTEM)),,plain)
ifeq ($(MACHINE),)
# "make test TARGET=..." gets the compiler that is missing.
ifeq ($(filter clean help generate generate-check $(if $(TARGET),test),$(MAKECMDGOALS)),)
$(if $(MACROS),,$(error "$(CC)" compiles nothing here$(if $(TARGET),; "make test TARGET=$(TARGET)" gets what it needs)))
$(error "$(CC)" makes code for "$(shell $(CC) -dumpmachine)", which is not in internal/machines/machines.txt; docs/porting.md lists what a machine needs)
endif
endif

RELEASE := $(shell cat VERSION)
HEADER_VERSION := $(or $(shell sed -n 's/^.define VKL_HEADER_VERSION \([0-9]*\).*/\1/p' spine/gen/linux/zslots.h 2>/dev/null),0)
VERSION := 1.4.$(HEADER_VERSION)
export CGO_ENABLED := 1
# Go's tools take CC for this machine's compiler; the tests compile their hosts and fakes by TARGET_CC.
ifeq ($(TARGET),)
export CC
else
unexport CC
export TARGET
export TARGET_CC := $(CC)
endif

# ---- flags ------------------------------------------------------------------------------------------------------

# Entries are marked for processors that check where an indirect jump lands. On i386 numbers are counted as on every other
# machine, in 64 bits and no more.
CFLAGS_linux_x86_64 := -fcf-protection
CFLAGS_linux_i386 := -fcf-protection -msse2 -mfpmath=sse -Wno-psabi
# There the stack of a 32-bit program is aligned to a word, and numbers to their size.
CFLAGS_windows_i386 := -msse2 -mfpmath=sse -mstackrealign -Wno-psabi
CFLAGS_linux_aarch64 := -mbranch-protection=standard -mno-outline-atomics
# The library declares this for the whole file. It has no start files, which are not marked on every system
# (spine/process/linux/finish.c replaces them), on arm64 no constructor of libgcc, and calls the other linked parts of glibc (atexit,
# pthread_atfork) only directly. The linker for arm64 warns of these two nevertheless.
LDFLAGS_x86_64 := -Wl,-z,ibt -Wl,-z,shstk
LDFLAGS_i386 := $(LDFLAGS_x86_64)
LDFLAGS_aarch64 := -Wl,-z,force-bti
# Without the linkage table arm64 would call even the library's own functions indirectly; x86's linker makes such calls direct.
NO_PLT_x86_64 := -fno-plt
NO_PLT_i386 := -fno-plt
# 32-bit machines call the C library's functions for files of 64 bits: readdir and stat fail where the number of a file, or
# its place in a directory, does not fit into 32.
FILES_32 := -D_FILE_OFFSET_BITS=64
# The same bytes from any directory: compiled files name their sources by the path within the repository.
CSTD := -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror $(CFLAGS_$(SYSTEM)_$(MACHINE)) $(FILES_$(BITS)) -ffile-prefix-map='$(CURDIR)=.' $(CFLAGS_EXTRA) $(if $(PORTABLE),-include spine/process/linux/portable.h)
OPT := -O2
SPINE_INCLUDES := -Ispine -Ispine/gen/$(SYSTEM) -Ispine/asm/$(SYSTEM)
# 32-bit ARM's compiler makes no tables for unwinding in C unless asked; other machines' do.
UNWIND_armhf := -funwind-tables
UNWIND_armel := $(UNWIND_armhf)
SPINE_CFLAGS := $(CSTD) $(UNWIND_$(MACHINE)) -DVKL_RELEASE='"$(RELEASE)"' -DVKL_MACHINE='"$(MACHINE)"' -fPIC -fvisibility=hidden $(NO_PLT_$(MACHINE)) $(SPINE_INCLUDES) -Itools/goc/runtime/c
# Programs call on stacks of 16 kB: no array there whose size comes from outside, and no large frame. Without optimisation,
# and with sanitizers, frames are larger.
NO_ARRAYS := -Wvla -Walloca
SMALL_FRAMES := $(if $(WINDOWS)$(filter -O0,$(OPT)),,-Wframe-larger-than=2048)
SPINE_LDFLAGS := -shared -Wl,-soname,libvulkan.so.1 -Wl,-Bsymbolic -Wl,-z,defs -Wl,-z,relro -Wl,-z,now \
	-Wl,-z,noexecstack -Wl,--as-needed -Wl,--hash-style=gnu -nostartfiles $(LDFLAGS_$(MACHINE)) $(LDFLAGS_EXTRA)
MODULE_CFLAGS := $(CSTD) $(OPT) -fPIC -fvisibility=hidden -Ispine
# In libraries of their own before glibc 2.34.
SPINE_LIBS := -Wl,--as-needed -ldl -lpthread
# Processors of armel have no 64-bit atomic instructions, so the null driver's counters are functions of this library.
MODULE_LIBS := $(if $(filter armel,$(MACHINE)),-latomic)
ifneq ($(PORTABLE),)
$(if $(filter musl windows/% macos/%,$(TARGET)),$(error PORTABLE=1 is for glibc))
# The libraries are named, also where this machine's own are empty.
SPINE_LIBS := -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0
MODULE_LIBS += $(SPINE_LIBS)
endif
MODULE_LDFLAGS := -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed $(LDFLAGS_EXTRA)
PROGRAM_CFLAGS := $(CSTD) $(OPT) -fPIE -Ispine
PROGRAM_LDFLAGS := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed $(LDFLAGS_EXTRA)
DEPS = -MMD -MP
ifneq ($(WINDOWS),)
# For Windows 7 and newer; the needed parts of the compiler's libraries are linked in. Sections have the same layout in the file
# as in memory: then Wine maps them, and does not read them.
CSTD := -std=gnu11 -g -Wall -Wextra -Werror $(CFLAGS_$(SYSTEM)_$(MACHINE)) -U_WIN32_WINNT -D_WIN32_WINNT=0x0601 -DWIN32_LEAN_AND_MEAN \
	-D__USE_MINGW_ANSI_STDIO=1 -ffile-prefix-map='$(CURDIR)=.' $(CFLAGS_EXTRA)
SPINE_CFLAGS := $(CSTD) $(SPINE_INCLUDES) -Itools/goc/runtime/c
SPINE_LDFLAGS := -shared -static-libgcc -Wl,--dynamicbase -Wl,--nxcompat $(if $(filter 64,$(BITS)),-Wl$(,)--high-entropy-va) \
	-Wl,--no-insert-timestamp -Wl,--exclude-all-symbols -Wl,--file-alignment=4096
MODULE_CFLAGS := $(CSTD) $(OPT) -Wno-attributes -Ispine
MODULE_LDFLAGS := -shared -static -Wl,--no-insert-timestamp -Wl,--kill-at
# The compiler for Windows on Arm: zig's linker has fewer options, and zig makes the resources.
ZIG := $(filter $(CURDIR)/build/zig/zig,$(CC))
ifneq ($(ZIG),)
SPINE_LDFLAGS := -shared -s -Wl,--dynamicbase -Wl,--nxcompat -Wl,--high-entropy-va
endif
endif
ifneq ($(MACOS),)
# Without debug information, which zig adds by itself: the linker would write the paths and times of object files into the
# library. The dynamic linker compares libraries by these versions, LunarG's; the patch does not fit into their 8 bits.
CSTD := -std=c11 -D_DARWIN_C_SOURCE -g0 -Wall -Wextra -Werror -Wno-unused-command-line-argument -fno-sanitize=all \
	-ffile-prefix-map='$(CURDIR)=.' $(CFLAGS_EXTRA)
SPINE_CFLAGS := $(CSTD) -DVKL_RELEASE='"$(RELEASE)"' -DVKL_MACHINE='"$(MACHINE)"' -fPIC -fvisibility=hidden $(SPINE_INCLUDES) -Itools/goc/runtime/c
MODULE_CFLAGS := $(CSTD) $(OPT) -fPIC -fvisibility=hidden -Ispine
PROGRAM_CFLAGS := $(CSTD) $(OPT) -Ispine
SPINE_LDFLAGS := -shared -Wl,-install_name,@rpath/libvulkan.1.dylib -Wl,-compatibility_version,1.0.0 \
	-Wl,-current_version,1.4.0
SPINE_LIBS :=
MODULE_LIBS :=
MODULE_LDFLAGS := -shared
PROGRAM_LDFLAGS :=
endif

# ---- parts ------------------------------------------------------------------------------------------------------

SPINE_SRC := $(filter-out spine/gen/core.c,$(wildcard spine/*/*.c $(foreach d,$(SYSTEM_DIRECTORIES),spine/*/$(d)/*.c))) spine/asm/tables.S $(wildcard spine/asm/$(SYSTEM)/$(MACHINE).S)
# asm/trampolines.c is made of jumps in every build.
JUMPS := -O2 -fno-sanitize=all -fomit-frame-pointer -fno-stack-protector -fno-lto \
	$(if $(findstring clang,$(shell $(CC) --version)),,-fno-reorder-blocks-and-partition) $(if $(WINDOWS),$(if $(filter i386,$(MACHINE)),-mno-stackrealign -mpreferred-stack-boundary=2))
# The one with a large table is linked last: the variables of all others share the page that the dynamic linker has written to.
SPINE_LARGE := spine/process/claim.c
SPINE_SRC := $(filter-out $(SPINE_LARGE),$(SPINE_SRC))
# Destructors run from the last file to the first.
SPINE_SRC := $(if $(MACOS),spine/process/macos/finish.c) $(filter-out spine/process/macos/finish.c,$(SPINE_SRC))
# The null driver maps its memory as Linux does.
DRIVERS := $(if $(WINDOWS)$(MACOS),,$(sort $(patsubst drivers/%/,%,$(dir $(wildcard drivers/*/*.c)))))
LAYERS := $(sort $(patsubst layers/%/,%,$(dir $(wildcard layers/*/*.c))))

# The core in C. Windows and macOS have one of their own, whose platform is another.
CORE := build/$(if $(WINDOWS),windows/,$(if $(MACOS),macos/))core.c

# ---- all --------------------------------------------------------------------------------------------------------

.PHONY: all spine core tool drivers layers fakes asan tsan run test test-changed test-all bench generate generate-check install install-only uninstall dist deb rpm test-fresh test-packages test-service test-cdi test-containers test-debian release mutants conformance abi \
	clean help FORCE
all: spine core $(if $(PORTABLE)$(filter-out windows/%,$(TARGET)),,tool) drivers layers $(if $(PORTABLE),,fakes)

help:
	@echo 'make                 build everything into build/'
	@echo 'make run             build, and show what this machine has, through build/libvulkan.so.1'
	@echo 'make test            install the Debian packages that the tests need (tools/test-packages.txt), build, and run the suites'
	@echo 'make test-changed    the tests that execute what differs from the last commit, or from BASE=COMMIT'
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
	@echo 'make TARGET=macos dist      build/macos/vkloader-$(RELEASE)-macos.zip: the dylib for both machines, and how to install it'
	@echo 'make TARGET=windows dist    build/windows/vkloader-$(RELEASE)-windows.zip: DLL and tool, with manifests for winget and Scoop'
	@echo 'make deb             Debian packages for amd64, i386 and arm64, into build/deb: docs/packages.md'
	@echo 'make test-debian     Debian packages as Debian builds them, in a Debian sid without a network (root; fetches it once)'
	@echo 'make release         the files of a release, from the last commit: docs/release.md'
	@echo 'make rpm             RPM packages, into build/rpm'
	@echo 'make test-packages   all packages, in systems of their own (root; fetches them once)'
	@echo 'make test-service    systems without a driver that get one by a socket or a CDI file (root; fetches them once)'
	@echo 'make test-cdi        containers of Podman with a CDI file: commit, removed drivers, refusals (root, podman, runc or crun)'
	@echo 'make TARGET=...      build for another machine of internal/machines/machines.txt, windows, macos, or musl for that C library, into build/TARGET'
	@echo 'make PORTABLE=1      the library, drivers and layers for every glibc since 2.17, into build/portable; with TARGET, too'
	@echo 'make test TARGET=... the tests that judge the library, on that machine'
	@echo 'make test-containers  the commands of docs/containers.md, in Podman, Flatpak and bubblewrap (root; fetches systems once)'
	@echo 'make clean           remove build/'
	@echo 'V=1 shows the commands.'

# ---- spine ------------------------------------------------------------------------------------------------------

# $(1): directory of the variant below build, or nothing; $(2): its flags; $(3): a test's source that belongs to it, and what
# the linker needs for that
define spine_variant
$(1)SPINE_OBJ := $$(patsubst %,$(B)/$(1)obj/%.o,$$(SPINE_SRC) $(firstword $(3))) $(B)/$(1)obj/core.o $$(SPINE_LARGE:%=$(B)/$(1)obj/%.o)
$(B)/$(1)libvulkan.so.$(VERSION): $$($(1)SPINE_OBJ)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $(2) $$(SPINE_LDFLAGS) $(wordlist 2,9,$(3)) -o $$@ $$^ $(SPINE_LIBS)
	$$(Q)ls $(B)/$(1)libvulkan.so.*.*.* | grep -vxF $$@ | xargs -r rm -f
$(B)/$(1)libvulkan.so.1: $(B)/$(1)libvulkan.so.$(VERSION)
	$$(Q)ln -sf $$(<F) $$@
$(B)/$(1)libvulkan.so: $(B)/$(1)libvulkan.so.1
	$$(Q)ln -sf $$(<F) $$@
$(B)/$(1)obj/spine/%.o: spine/% Makefile
	$$(call say,CC,$$<$(if $(1), ($(1:/=))))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $(2) $$(SPINE_CFLAGS) $$(NO_ARRAYS) $(if $(1),$$(if $$(filter %.c,$$<),-include spine/process/lock_check.h),$$(SMALL_FRAMES)) $$(if $$(filter %/trampolines.c,$$(filter spine/asm/%,$$<)),$$(JUMPS)) $$(DEPS) -c -o $$@ $$<
$(B)/$(1)obj/test/%.o: test/% Makefile
	$$(call say,CC,$$<$(if $(1), ($(1:/=))))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $(2) $$(SPINE_CFLAGS) $$(DEPS) -c -o $$@ $$<
$(B)/$(1)obj/core.o: $(CORE) $(B)/directories Makefile
	$$(call say,CC,$$<$(if $(1), ($(1:/=))))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $(2) $$(SPINE_CFLAGS) $$(CORE_CFLAGS) -c -o $$@ $$<
-include $$($(1)SPINE_OBJ:.o=.d)
endef
$(eval $(call spine_variant,,$(OPT)))
RECORD := test/loader/equal/c/record.c $(patsubst %,-Wl$(,)--wrap=core_go_%,begin add decide)
$(eval $(call spine_variant,asan/,-O1 -g1 -fno-omit-frame-pointer -fsanitize=address$(,)undefined,$(RECORD)))
$(eval $(call spine_variant,tsan/,-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread))

# These write the time into the file's header, with any linker options, unless a variable sets another time.
NO_TIME := SOURCE_DATE_EPOCH=0
# The DLL: its exports are those of the list (WIN-002 to 004). What debuggers read lies beside it: it would be mapped, too.
$(B)/vulkan-1.dll: $(SPINE_OBJ) spine/gen/windows/zexports.def $(B)/obj/version.$(if $(ZIG),res,o)
	$(call say,LD,$@)
	$(Q)$(CC) $(OPT) $(SPINE_LDFLAGS) -o $@ $^
ifeq ($(ZIG),)
	$(Q)$(NO_TIME) $(CC:gcc=objcopy) --only-keep-debug $@ $@.debug
	$(Q)$(NO_TIME) $(CC:gcc=strip) --strip-debug $@
	$(Q)$(NO_TIME) $(CC:gcc=objcopy) --add-gnu-debuglink=$@.debug $@
endif
$(B)/obj/version.o: spine/process/windows/version.rc VERSION Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC:gcc=windres) -DVKL_RELEASE=$(RELEASE) -DVKL_HEADER_VERSION=$(HEADER_VERSION) -o $@ $<
$(B)/obj/version.res: spine/process/windows/version.rc VERSION Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(ZIG) rc /d VKL_RELEASE=$(RELEASE) /d VKL_HEADER_VERSION=$(HEADER_VERSION) /fo $@ $<

# The name of the library is by default the one that it is signed by.
$(B)/libvulkan.1.dylib: $(SPINE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(OPT) $(SPINE_LDFLAGS) -o $@ $^
spine: $(if $(WINDOWS),$(B)/vulkan-1.dll,$(if $(MACOS),$(B)/libvulkan.1.dylib,$(B)/libvulkan.so))
asan: spine $(B)/asan/libvulkan.so
tsan: spine $(B)/tsan/libvulkan.so

# ---- core -------------------------------------------------------------------------------------------------------

# OPT=-O0 is for reading the spine in a debugger; the core, without any optimisation, needs 32 kB of stack, and programs call
# on 16 kB. CORE_OPT= compiles it like the rest all the same.
CORE_OPT := $(if $(filter -O0,$(OPT)),-O1)
# Go's wrapped integers, pointers to anything, and no arithmetic that is more exact than Go's. Programs call on stacks of
# 16 kB.
CORE_CFLAGS := -std=gnu11 -fwrapv -fno-strict-aliasing -ffp-contract=off \
	$(if $(findstring clang,$(shell $(CC) --version)),,-fconserve-stack -Wno-stringop-overread) -DVKL_SYSCONFDIR='"$(SYSCONFDIR)"' \
	-DVKL_EXTRASYSCONFDIR='"$(EXTRASYSCONFDIR)"' -DVKL_LOADER_BITS='"$(BITS)"' $(CORE_OPT)

# The directories are compiled in: other ones, another library.
$(B)/directories: FORCE
	$(Q)mkdir -p $(B)
	$(Q)echo '$(SYSCONFDIR):$(EXTRASYSCONFDIR)' > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

core: $(CORE)
ifneq ($(wildcard spine/gen/core.c),)
build/core.c: spine/gen/core.c # from make dist: no Go is needed for the library
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@
else
CORE_FROM := $(shell find internal/core tools/goc -name '*.go' ! -name '*_test.go' -o -name '*.[ch]') go.mod
build/core.c: $(CORE_FROM)
	$(call say,GOC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)CGO_ENABLED=0 $(GO) run ./tools/goc -o $@ -macro vkloader/internal/core/search.linuxSysConfDir=VKL_SYSCONFDIR \
		-macro vkloader/internal/core/search.linuxExtraDir=VKL_EXTRASYSCONFDIR \
		-macro vkloader/internal/core/manifest.loaderBits=VKL_LOADER_BITS ./internal/core/entry \
		Begin=core_go_begin Add=core_go_add Decide=core_go_decide
build/macos/core.c: $(CORE_FROM)
	$(call say,GOC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)CGO_ENABLED=0 $(GO) run ./tools/goc -o $@ -macro vkloader/internal/core/manifest.loaderBits=VKL_LOADER_BITS \
		./internal/core/entry/macos Begin=core_go_begin Add=core_go_add Decide=core_go_decide
build/windows/core.c: $(CORE_FROM)
	$(call say,GOC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)CGO_ENABLED=0 $(GO) run ./tools/goc -o $@ -macro vkloader/internal/core/manifest.loaderBits=VKL_LOADER_BITS \
		./internal/core/entry/windows Begin=core_go_begin Add=core_go_add Decide=core_go_decide
endif

# ---- tool -------------------------------------------------------------------------------------------------------

PROBE_SRC := $(wildcard internal/decide/probe/child/*.c internal/decide/probe/child/$(if $(WINDOWS),windows,linux)/*.c)
# On Windows it has the library's own readers of the system, as they are in the DLL, and a file that is compiled as they are.
ifneq ($(WINDOWS),)
FACTS_SRC := $(filter %/facts.c,$(PROBE_SRC))
PROBE_SRC := $(filter-out $(FACTS_SRC),$(PROBE_SRC))
FACTS_OBJ := $(B)/obj/facts.o $(patsubst %,$(B)/obj/spine/%.c.o,$(addprefix core/windows/,elsewhere adapters devices dxgi value) core/list \
	process/memory process/claim $(addprefix process/windows/,wide system gate wake))
$(B)/obj/facts.o: $(FACTS_SRC) Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OPT) $(SPINE_CFLAGS) $(DEPS) -c -o $@ $<
-include $(B)/obj/facts.d
endif
PROBE := $(B)/libexec/$(if $(WINDOWS),probe.exe,vkloader/probe)
$(PROBE): $(PROBE_SRC) $(FACTS_OBJ) $(wildcard spine/gen/zvk.h internal/decide/probe/child/*.h) Makefile
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(if $(WINDOWS),$(CSTD) $(OPT) -Ispine -static -Wl$(,)--no-insert-timestamp,$(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS)) -Iinternal/decide/probe/child -o $@ $(PROBE_SRC) $(FACTS_OBJ)

# Constants of the tool: its release, and the installed locations of the library and the probe.
TOOL_WORDS = -X vkloader/internal/tool/cli.release=$(RELEASE) $(if $(WINDOWS),,-X vkloader/internal/decide/probe.libraryDirectory=$(LIBDIR) \
	-X vkloader/internal/decide/probe.libexecDirectory=$(LIBEXECDIR) -X vkloader/internal/core/manifest.loaderBits=$(BITS))

EXE := $(if $(WINDOWS),.exe)
GO_TARGET := $(if $(WINDOWS),GOOS=windows GOARCH=$(if $(filter 64,$(BITS)),amd64,386),$(if $(filter $(TARGET),$(call machines,,1)),GOARCH=$(call machines,$(TARGET),9) \
	$(if $(filter armel,$(TARGET)),GOARM=5)))

# The tool's version information for Explorer and installers; Go links in a file of this name.
ifneq ($(WINDOWS),)
TOOL_RESOURCE := cmd/vkloader/version_windows_$(if $(filter 64,$(BITS)),amd64,386).syso
$(TOOL_RESOURCE): cmd/vkloader/version.rc VERSION Makefile
	$(Q)$(CC:gcc=windres) -DVKL_RELEASE=$(RELEASE) -DVKL_NUMBERS=$(subst .,$(,),$(RELEASE)),0 -O coff -o $@ $<
endif

# A static position-independent program runs in any container, with any C library. Go alone gives such a program an interpreter,
# so the C linker makes it, with the static C library. The tags keep that library's look-ups of users and hosts,
# which open other libraries, out of it. Without a static C library the tool is linked at a fixed address. GO_TAGS: more tags.
TOOL_CC ?= $(CC)
ifeq ($(WINDOWS),)
STATIC_PIE = $(shell echo 'int main(void) { return 0; }' | $(TOOL_CC) -static-pie -x c -o /dev/null - 2> /dev/null && echo yes)
TOOL_PIE = $(if $(STATIC_PIE),-buildmode=pie -tags netgo$(,)osusergo$(addprefix $(,),$(GO_TAGS)),$(addprefix -tags ,$(GO_TAGS)))
TOOL_START = $(B)/obj/tool/clone.o
TOOL_LINK = $(if $(STATIC_PIE),-linkmode external -extldflags "-static-pie $(TOOL_START) -Wl$(,)-z$(,)relro -Wl$(,)-z$(,)now -Wl$(,)-z$(,)noexecstack")
endif

$(B)/obj/tool/clone.o: cmd/vkloader/start/clone.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(TOOL_CC) $(CSTD) $(OPT) -fPIE -c -o $@ $<

# Go itself detects changed sources.
$(B)/vkloader$(EXE): $(TOOL_RESOURCE) $(if $(STATIC_PIE),$(TOOL_START)) FORCE
	$(Q)mkdir -p $(B)
	$(Q)CGO_ENABLED=$(if $(STATIC_PIE),1,0) CC='$(TOOL_CC)' $(GO_TARGET) $(GO) build -trimpath -buildvcs=false $(TOOL_PIE) \
		-ldflags='-s -w $(SEARCH_DIRECTORIES) $(TOOL_WORDS) $(TOOL_LINK)' \
		-o $@.new ./cmd/vkloader
	$(Q)if cmp -s $@.new $@; then rm $@.new; else printf '  %-6s %s\n' GO $@; mv $@.new $@; fi

# Man pages and completions, from the commands themselves.
$(B)/share/stamp: $(B)/vkloader
	$(Q)rm -rf $(@D)
	$(Q)$(B)/vkloader pages $(@D)
	$(Q)touch $@

ifneq ($(WINDOWS),)
tool: $(B)/vkloader.exe $(PROBE)
else ifneq ($(TARGET),)
tool: $(B)/vkloader $(PROBE)
else ifneq ($(wildcard cmd/vkloader/*.go),)
tool: $(B)/vkloader $(B)/share/stamp $(if $(PROBE_SRC),$(PROBE))
endif

# ---- drivers, layers, programs of the tests ---------------------------------------------------------------------

# $(1): kind, drivers or layers; $(2): name; $(3): library
define module
$(B)/$(1)/$(3): $$(patsubst %,$(B)/obj/%.o,$$(wildcard $(1)/$(2)/*.c $(1)/$(2)/*.S))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(MODULE_LDFLAGS) $(if $(WINDOWS),,$$(MODULE_LDFLAGS_$(2))) -o $$@ $$^ $(if $(WINDOWS),-lwinpthread,$(MODULE_LIBS))
$(1): $(B)/$(1)/$(3) $$(patsubst $(1)/$(2)/%,$(B)/$(1)/%,$$(wildcard $(1)/$(2)/*.json))
$(B)/$(1)/%.json: $(1)/$(2)/%.json
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(if $(WINDOWS),sed 's|"\./lib\(.*\)\.so"|".\\\\\1.dll"|',cat) $$< > $$@
-include $$(patsubst %,$(B)/obj/%.d,$$(wildcard $(1)/$(2)/*.c $(1)/$(2)/*.S))
endef
# The name of a library; manifests in the source have Linux's.
library_of = $(if $(WINDOWS),$(1).dll,lib$(1)$(if $(MACOS),.dylib,.so))
$(foreach d,$(DRIVERS),$(eval $(call module,drivers,$(d),$(call library_of,vk_$(d)))))
$(foreach l,$(LAYERS),$(eval $(call module,layers,$(l),$(call library_of,VkLayer_$(l)))))

$(B)/obj/drivers/%.o: drivers/% Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MODULE_CFLAGS) $(DEPS) -c -o $@ $<
$(B)/obj/layers/%.o: layers/% Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MODULE_CFLAGS) $(DEPS) -c -o $@ $<

# The tests compile their host and their fakes themselves; a build.mk adds their other programs.
fakes:

# ---- the README's two commands ----------------------------------------------------------------------------------

run: all
	@echo
	@$(B)/vkloader list devices --details --fallback-driver $(B)/drivers/null_icd.json

test:
	$(Q)$(if $(TARGET),tools/target.sh $(TARGET),tools/test.sh)

test-changed: all
	$(Q)GO='$(GO)' tools/test-changed.sh $(BASE)

# The other machines fetch compilers and systems; Windows needs root.
test-all:
	$(Q)tools/test.sh all
	$(Q)for target in $(filter-out amd64,$(call machines,,1)) musl windows macos; do $(MAKE) --no-print-directory test TARGET=$$target || exit 1; done

# In a minimal Debian 12 with the README's requirements; needs root, and the network.
test-fresh:
	$(Q)GO='$(GO)' tools/test-fresh.sh

# ---- generated files --------------------------------------------------------------------------------------------

generate:
	$(Q)test -f '$(VK_XML)' || { echo 'No registry at "$(VK_XML)": give VK_XML=.../vk.xml' >&2; exit 2; }
	$(Q)$(GO) run ./tools/vkgen -xml '$(VK_XML)'
	$(Q)$(GO) run ./tools/nullgen -xml '$(VK_XML)'
	$(Q)$(GO) generate ./...

# Generates again and compares; leaves the files as they were.
generate-check:
	$(Q)VK_XML='$(VK_XML)' tools/generated.sh

# The statements of spec/ with their tests, or the reason for none.
conformance:
	$(Q)mkdir -p $(B)
	$(Q)$(GO) run ./tools/conformance > $(B)/conformance.md
	@echo '$(B)/conformance.md lists every statement with its tests'

# ---- the rest ---------------------------------------------------------------------------------------------------

# BENCH: flags, for example BENCH="-rounds 5 -only start,warm"; see test/loader/bench. PEER: another libvulkan.so.1 beside.
bench:
	$(Q)tools/bench.sh $(if $(PEER),-peer $(abspath $(PEER))) $(BENCH)

# MUTANTS: flags, for example MUTANTS="-n 20 -files spine/physdev"; see tools/mutants.
mutants: all
	$(Q)$(GO) run ./tools/mutants $(MUTANTS)

# ABI: another library to compare with.
abi:
	$(Q)tools/abi.sh $(ABI)

# install-only installs the existing build, for packages.
install: all
	$(Q)$(MAKE) --no-print-directory install-only
install-only:
	$(Q)BUILD='$(B)' BITS='$(BITS)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' BINDIR='$(BINDIR)' INCLUDEDIR='$(INCLUDEDIR)' \
		LIBEXECDIR='$(LIBEXECDIR)' DATADIR='$(DATADIR)' VERSION='$(VERSION)' tools/install.sh

uninstall:
	$(Q)BUILD='$(B)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' BINDIR='$(BINDIR)' \
		INCLUDEDIR='$(INCLUDEDIR)' LIBEXECDIR='$(LIBEXECDIR)' DATADIR='$(DATADIR)' tools/uninstall.sh

# The source as it is committed, with the core in C: "make spine" there needs a C compiler and nothing else.
# DIST: where to; DIST_TREE: another tree of git than that of the last commit.
DIST := $(B)
DIST_TREE := HEAD
dist: build/core.c
	$(Q)tools/dist.sh $(RELEASE) build/core.c $(DIST) $(DIST_TREE)

# The files of a release, made from the last commit.
RELEASE_FILES ?= build/release
release:
	$(Q)GO='$(GO)' tools/release.sh '$(RELEASE_FILES)'

# Debian packages as Debian builds them, in a Debian sid without a network. DEBIAN_STEPS: some steps of the script.
test-debian:
	$(Q)tools/test-debian.sh $(DEBIAN_STEPS)

# Debian packages, into build/deb; ARCHITECTURES="amd64 i386" builds for these alone.
deb:
	$(Q)GO='$(GO)' tools/deb.sh $(ARCHITECTURES)

# RPM packages of the last commit, into build/rpm; ARCHITECTURES="x86_64" builds for that alone.
rpm: dist
	$(Q)GO='$(GO)' tools/rpm.sh $(ARCHITECTURES)

# Installs, upgrades, switches and removes the packages in systems of their own below build/packages; needs root.
test-packages:
	$(Q)tools/packages.sh test-packages debootstrap debhelper dpkg-dev lintian gcc-multilib binutils-i686-linux-gnu rpm musl-tools busybox
	$(Q)$(MAKE) --no-print-directory deb ARCHITECTURES='amd64 i386 arm64'
	$(Q)$(MAKE) --no-print-directory rpm ARCHITECTURES='x86_64 i686'
	$(Q)tools/test-packages.sh
	$(Q)tools/test-rpm.sh
	$(Q)GO='$(GO)' tools/test-alpine.sh

# Programs in systems without a driver, with the socket of a driver service or a CDI file; needs root.
test-service: all
	$(Q)tools/test-service.sh

# Containers of Podman with a CDI file; needs root.
test-cdi: all
	$(Q)tools/test-cdi.sh

# The commands of docs/containers.md; needs root.
test-containers: all
	$(Q)tools/packages.sh test-containers podman bubblewrap debootstrap uidmap gcc-multilib musl-tools vulkan-tools mesa-vulkan-drivers \
		vulkan-validationlayers mangohud flatpak dbus
	$(Q)$(MAKE) --no-print-directory PORTABLE=1 spine layers
	$(Q)$(MAKE) --no-print-directory PORTABLE=1 TARGET=i386 spine layers
	$(Q)$(MAKE) --no-print-directory TARGET=musl spine drivers
	$(Q)tools/test-containers.sh

clean:
	rm -rf $(B)

-include $(wildcard */build.mk */*/build.mk */*/*/build.mk */*/*/*/build.mk)
endif
