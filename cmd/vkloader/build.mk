# The tool, its manual and completions.

TOOL_RULES := $(RULES) cmd/vkloader/build.mk
TOOL_linux := vkloader
TOOL_macos := vkloader
TOOL_windows := vkloader.exe

# Constants of the tool: its release, the directories of manifests, and the installed locations of the library and the
# probe.
TOOL_PLACES := -X vkloader/internal/decide/probe.libraryDirectory=$(LIBDIR) \
	-X vkloader/internal/decide/probe.libexecDirectory=$(LIBEXECDIR)
TOOL_PLACES_linux := $(TOOL_PLACES)
SEARCHED := vkloader/internal/core/search
SEARCHED_linux := -X $(SEARCHED).linuxSysConfDir=$(SYSCONFDIR) -X $(SEARCHED).linuxExtraDir=$(EXTRASYSCONFDIR)
SEARCHED_macos := -X $(SEARCHED).macOSSysConfDir=$(SYSCONFDIR) -X $(SEARCHED).macOSExtraDir=$(EXTRASYSCONFDIR) \
	-X $(SEARCHED).macOSDataDirs=$(DATADIRS)
TOOL_WORDS := -X vkloader/internal/tool/cli.release=$(RELEASE) $(TOOL_PLACES_$(SYSTEM))

GO_MACHINE_64 := amd64
GO_MACHINE_32 := 386
GO_ARM_armel := GOARM=5
GO_TARGET_windows := GOOS=windows GOARCH=$(GO_MACHINE_$(BITS))
GO_MACHINE_x86_64 := amd64
GO_MACHINE_aarch64 := arm64
GO_TARGET_macos := GOOS=darwin GOARCH=$(GO_MACHINE_$(MACHINE))
GO_TARGET_linux := $(if $(filter $(TARGET),$(call machines,,1)),GOARCH=$(call machines,$(TARGET),9) $(GO_ARM_$(TARGET)))

# The tool's version information for Explorer and installers. Go links a file with this name into the program.
ifeq ($(SYSTEM),windows)
TOOL_RESOURCE := cmd/vkloader/version_windows_$(GO_MACHINE_$(BITS)).syso
$(TOOL_RESOURCE): cmd/vkloader/version.rc VERSION $(TOOL_RULES)
	$(Q)$(CC:gcc=windres) -DVKL_RELEASE=$(RELEASE) -DVKL_NUMBERS=$(subst .,$(,),$(RELEASE)),0 -O coff -o $@ $<
endif

# A static position-independent program runs in any container, with any C library. Go itself would give such a program
# an ELF interpreter, so the C linker links it with the static C library. The build tags exclude the C library's lookups
# of users and hosts, which would open shared libraries. Without a static C library, the tool is linked at a fixed
# address.
# GO_TAGS: more tags.
TOOL_CC ?= $(CC)
ifeq ($(SYSTEM),linux)
STATIC_PIE = $(shell echo 'int main(void) { return 0; }' | $(TOOL_CC) -static-pie -x c -o /dev/null - 2> /dev/null && echo yes)
TOOL_PIE = $(if $(STATIC_PIE),-buildmode=pie -tags netgo$(,)osusergo$(addprefix $(,),$(GO_TAGS)),$(addprefix -tags ,$(GO_TAGS)))
TOOL_START = $(B)/obj/tool/clone.o
TOOL_LINK = $(if $(STATIC_PIE),-linkmode external -extldflags "-static-pie $(TOOL_START) -Wl$(,)-z$(,)relro -Wl$(,)-z$(,)now -Wl$(,)-z$(,)noexecstack")
endif

$(B)/obj/tool/clone.o: cmd/vkloader/start/clone.c $(TOOL_RULES)
	$(Q)mkdir -p $(@D)
	$(Q)$(TOOL_CC) $(CSTD) $(OPT) -fPIE -c -o $@ $<

# Go detects changed sources itself, so the rule always runs.
$(B)/$(TOOL_$(SYSTEM)): $(TOOL_RESOURCE) $(if $(STATIC_PIE),$(TOOL_START)) FORCE
	$(Q)mkdir -p $(B)
	$(Q)CGO_ENABLED=$(if $(STATIC_PIE),1,0) CC='$(TOOL_CC)' $(GO_TARGET_$(SYSTEM)) $(GO) build -trimpath -buildvcs=false $(TOOL_PIE) \
		-ldflags='-s -w $(SEARCHED_$(SYSTEM)) $(TOOL_WORDS) $(TOOL_LINK)' \
		-o $@.new ./cmd/vkloader
	$(Q)if cmp -s $@.new $@; then rm $@.new; else printf '  %-6s %s\n' GO $@; mv $@.new $@; fi

# Man pages and completions, printed by the tool.
$(B)/share/stamp: $(B)/vkloader
	$(Q)rm -rf $(@D)
	$(Q)$(B)/vkloader pages $(@D)
	$(Q)touch $@

.PHONY: tool
tool: $(B)/$(TOOL_$(SYSTEM)) $(if $(filter macos,$(SYSTEM)),,$(PROBE))
ifeq ($(TARGET),)
tool: $(B)/share/stamp
endif
