# TARGET=windows and TARGET=macos: runs one make for each machine of the system.

MACHINES_windows := x64 x86
MACHINES_macos := x86_64 arm64
GOALS_windows := all spine core tool drivers layers fakes
GOALS_macos := spine core tool drivers layers
# Files for both machines: one library, one tool.
JOINED_macos_spine := libvulkan.1.dylib
JOINED_macos_tool := vkloader
universal = CGO_ENABLED=0 $(GO) run ./tools/universal -o build/$(TARGET)/$(1) $(MACHINES_$(TARGET):%=build/$(TARGET)/%/$(1))
DIST ?= build/$(TARGET)

.PHONY: all spine core tool drivers layers fakes test dist pages zig
$(GOALS_$(TARGET)):
	$(Q)$(foreach m,$(MACHINES_$(TARGET)),$(MAKE) --no-print-directory TARGET=$(TARGET)/$(m) $@ &&) :
	$(if $(JOINED_$(TARGET)_$@),$(Q)$(call universal,$(JOINED_$(TARGET)_$@)))
test:
	$(Q)GO='$(GO)' tools/$(TARGET).sh
dist:
	$(Q)GO='$(GO)' tools/dist-$(TARGET).sh $(shell cat VERSION) '$(DIST)'

ifeq ($(TARGET),windows)
dist: spine tool pages
# The tool's manual, written by the tool for this machine.
pages:
	$(Q)$(MAKE) --no-print-directory TARGET= build/share/stamp
else
all: spine tool drivers layers
dist: spine tool
# Fetches the compiler before the Makefile is read for a machine.
$(GOALS_macos): zig
zig:
	$(Q)tools/zig.sh > /dev/null
endif
