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

# The probe for Windows opens libraries with the library's function, from the DLL's object files.
ifeq ($(SYSTEM),windows)
OPEN_SRC := $(filter %/open.c,$(PROBE_SRC))
PROBE_SRC := $(filter-out $(OPEN_SRC),$(PROBE_SRC))
OPEN_OBJ := $(B)/obj/open.o $(patsubst %,$(B)/obj/spine/%.c.o,process/memory process/claim \
	$(addprefix process/windows/,wide system gate wake))
$(B)/obj/open.o: $(OPEN_SRC) $(PROBE_RULES)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(OPT) $(SPINE_CFLAGS) -Iinternal/decide/probe/child $(DEPS) -c -o $@ $<
-include $(B)/obj/open.d
endif

$(PROBE): $(PROBE_SRC) $(OPEN_OBJ) $(wildcard spine/gen/zvk.h internal/decide/probe/child/*.h) $(PROBE_RULES)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -Iinternal/decide/probe/child -o $@ $(PROBE_SRC) $(OPEN_OBJ)
