# The probe: the process in which the tool loads a library.

PROBE_SYSTEM_linux := linux
PROBE_SYSTEM_macos := linux
PROBE_SYSTEM_windows := windows
PROBE_SRC := $(wildcard internal/decide/probe/child/*.c internal/decide/probe/child/$(PROBE_SYSTEM_$(SYSTEM))/*.c)
PROBE_NAME_linux := vkloader/probe
PROBE_NAME_macos := vkloader/probe
PROBE_NAME_windows := probe.exe
PROBE := $(B)/libexec/$(PROBE_NAME_$(SYSTEM))
PROBE_RULES := $(RULES) internal/decide/probe/build.mk

# The probe for Windows contains the library's readers of the system and its function that opens libraries, from the DLL's
# object files, and two more of the library's files, compiled for the probe.
ifeq ($(SYSTEM),windows)
FACTS_SRC := $(filter %/facts.c %/open.c,$(PROBE_SRC))
PROBE_SRC := $(filter-out $(FACTS_SRC),$(PROBE_SRC))
FACTS_OWN := $(patsubst %.c,$(B)/obj/%.o,$(notdir $(FACTS_SRC)))
FACTS_OBJ := $(FACTS_OWN) $(patsubst %,$(B)/obj/spine/%.c.o,$(addprefix core/windows/,elsewhere adapters devices dxgi value) \
	process/memory process/claim $(addprefix process/windows/,wide system gate wake))
$(FACTS_OWN): $(B)/obj/%.o: internal/decide/probe/child/windows/%.c $(PROBE_RULES)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OPT) $(SPINE_CFLAGS) -Iinternal/decide/probe/child $(DEPS) -c -o $@ $<
-include $(FACTS_OWN:.o=.d)
endif

$(PROBE): $(PROBE_SRC) $(FACTS_OBJ) $(wildcard spine/gen/zvk.h internal/decide/probe/child/*.h) $(PROBE_RULES)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -Iinternal/decide/probe/child -o $@ $(PROBE_SRC) $(FACTS_OBJ)
