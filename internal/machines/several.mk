# TARGET=windows and TARGET=macos: the library for each machine of the system, by one make for each.

MACHINES_windows := x64 x86
MACHINES_macos := x86_64 arm64
GOALS_windows := all spine core tool drivers layers fakes
GOALS_macos := spine core
# One file of both machines' libraries.
JOINED_macos = CGO_ENABLED=0 $(GO) run ./tools/universal -o build/macos/libvulkan.1.dylib $(MACHINES_macos:%=build/macos/%/libvulkan.1.dylib)
DIST ?= build/$(TARGET)

.PHONY: all spine core tool drivers layers fakes test dist pages zig
$(GOALS_$(TARGET)):
	$(Q)$(foreach m,$(MACHINES_$(TARGET)),$(MAKE) --no-print-directory TARGET=$(TARGET)/$(m) $@ &&) :
	$(if $(filter spine,$@),$(Q)$(JOINED_$(TARGET)))
test:
	$(Q)GO='$(GO)' tools/$(TARGET).sh
dist:
	$(Q)GO='$(GO)' tools/dist-$(TARGET).sh $(shell cat VERSION) '$(DIST)'

ifeq ($(TARGET),windows)
dist: spine tool pages
# The tool's manual, from this machine's tool.
pages:
	$(Q)$(MAKE) --no-print-directory TARGET= build/share/stamp
else
all: spine
dist: all
# Fetches the compiler before the Makefile is read for a machine.
$(GOALS_macos): zig
zig:
	$(Q)tools/zig.sh > /dev/null
endif
