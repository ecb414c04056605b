# The compiler for TARGET, and the machine (machines.txt) and system for which it compiles.

# $(call machines,NAME,N): field N of a target's row, or of all rows.
machines = $(shell awk '!/^\#/ && ("$(1)" == "" || $$1 == "$(1)") { print $$$(2) }' internal/machines/machines.txt)
# An installed cross compiler, or one that tools/cross.sh has unpacked.
cross = $(or $(notdir $(shell command -v $(1))),$(wildcard $(CURDIR)/build/cross/bin/$(1)))
ifneq ($(filter $(TARGET),$(call machines,,1)),)
TRIPLET := $(call machines,$(TARGET),7)
COMPILER_$(TARGET) := $(or $(call cross,$(TRIPLET)-gcc),$(TRIPLET)-gcc)
endif
# gcc -m32 from gcc-multilib, unless a cross compiler is installed.
COMPILER_i386 := $(or $(notdir $(shell command -v i686-linux-gnu-gcc)),gcc -m32)
COMPILER_musl := musl-gcc
COMPILER_windows/x64 := x86_64-w64-mingw32-gcc
COMPILER_windows/x86 := i686-w64-mingw32-gcc
COMPILER_windows/arm64 := $(CURDIR)/build/zig/zig cc -target aarch64-windows-gnu
# Unpacked by tools/zig.sh. macOS 11 is the first release for arm64.
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

# The predefined macros of the compiler, from which the machine follows; the compiler's name is no evidence (gcc -m32).
# zig writes an object file into its working directory, so it runs in its own.
MACROS := $(shell $(if $(findstring /build/zig/,$(CC)),cd build/zig &&) $(CC) -dM -E -x c /dev/null 2> /dev/null | cut -d ' ' -f 2)
BITS := $(if $(filter __LP64__ _WIN64,$(MACROS)),64,32)
# The rows of machine names and macros. Compilers for Windows define long as 32 bits, and those for Windows and macOS
# have another name for arm64.
ROWS := $(shell awk '!/^\#/ { print $$2 "," $$6 }' internal/machines/machines.txt) \
	x86_64,__x86_64__,_WIN64 aarch64,__aarch64__,_WIN32 aarch64,__aarch64__,__APPLE__
MACHINE := $(firstword $(foreach row,$(ROWS),$(if \
	$(filter-out $(MACROS),$(wordlist 2,9,$(subst $(,), ,$(row)))),,$(firstword $(subst $(,), ,$(row))))))
# Every variable with the suffixes _linux, _windows and _macos has a value for each system.
SYSTEM := $(or $(if $(filter _WIN32,$(MACROS)),windows),$(if $(filter __APPLE__,$(MACROS)),macos),linux)
# Files below these directories are compiled for the system.
DIRECTORIES_linux := linux posix
DIRECTORIES_windows := windows plain
DIRECTORIES_macos := macos posix plain
ifeq ($(MACHINE),)
# Except for "make test TARGET=...", which fetches a missing compiler, the compiler must exist.
ifeq ($(filter clean help generate generate-check $(if $(TARGET),test),$(MAKECMDGOALS)),)
$(if $(MACROS),,$(error "$(CC)" compiles nothing here$(if $(TARGET),; "make test TARGET=$(TARGET)" gets what it needs)))
$(error "$(CC)" makes code for "$(shell $(CC) -dumpmachine)", which is not in internal/machines/machines.txt; docs/porting.md lists what a machine needs)
endif
endif

export CGO_ENABLED := 1
# Go's tools use CC as this machine's compiler; tests compile hosts and fakes with TARGET_CC.
ifeq ($(TARGET),)
export CC
else
unexport CC
export TARGET
export TARGET_CC := $(CC)
endif
