# The compiler for TARGET, and by its predefined macros the machine (machines.txt) and the system.

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

# The machine that the compiler makes code for, by its predefined macros: "gcc -m32" has another machine's name.
# zig also writes an object file into its working directory.
MACROS := $(shell $(if $(findstring /build/zig/,$(CC)),cd build/zig &&) $(CC) -dM -E -x c /dev/null 2> /dev/null | cut -d ' ' -f 2)
BITS := $(if $(filter __LP64__ _WIN64,$(MACROS)),64,32)
# A row: the machine's name and its macros. Compilers for Windows have 32-bit longs, those for Windows and macOS their own name of
# arm64.
ROWS := $(shell awk '!/^\#/ { print $$2 "," $$6 }' internal/machines/machines.txt) \
	x86_64,__x86_64__,_WIN64 aarch64,__aarch64__,_WIN32 aarch64,__aarch64__,__APPLE__
MACHINE := $(firstword $(foreach row,$(ROWS),$(if \
	$(filter-out $(MACROS),$(wordlist 2,9,$(subst $(,), ,$(row)))),,$(firstword $(subst $(,), ,$(row))))))
# Every list whose names end in _linux, _windows and _macos has a row for each system.
SYSTEM := $(or $(if $(filter _WIN32,$(MACROS)),windows),$(if $(filter __APPLE__,$(MACROS)),macos),linux)
# Files below a directory of one of these names are compiled for the system.
DIRECTORIES_linux := linux posix
DIRECTORIES_windows := windows plain
DIRECTORIES_macos := macos posix plain
ifeq ($(MACHINE),)
# "make test TARGET=..." gets the compiler that is missing.
ifeq ($(filter clean help generate generate-check $(if $(TARGET),test),$(MAKECMDGOALS)),)
$(if $(MACROS),,$(error "$(CC)" compiles nothing here$(if $(TARGET),; "make test TARGET=$(TARGET)" gets what it needs)))
$(error "$(CC)" makes code for "$(shell $(CC) -dumpmachine)", which is not in internal/machines/machines.txt; docs/porting.md lists what a machine needs)
endif
endif

export CGO_ENABLED := 1
# Go's tools take CC for this machine's compiler; the tests compile their hosts and fakes by TARGET_CC.
ifeq ($(TARGET),)
export CC
else
unexport CC
export TARGET
export TARGET_CC := $(CC)
endif
