# The test programs for Windows: those for Linux, and one that starts another program with variables.
ifeq ($(SYSTEM),windows)
WINDOWS_CFLAGS := $(CSTD) $(OPT) -Itest/lib/windows/include -Ispine
$(B)/test/with.exe: test/lib/windows/program/with.c
$(B)/test/cycles.exe: test/lib/windows/program/cycles.c
$(B)/test/compute.exe: test/lib/bin/compute.c test/lib/windows/include/posix.c
$(B)/test/present.exe: test/lib/present/present.c test/lib/windows/program/window.c test/lib/present/window.h test/lib/windows/include/posix.c
WINDOWS_PROGRAMS := $(addprefix $(B)/test/,with.exe compute.exe present.exe cycles.exe)
$(WINDOWS_PROGRAMS): test/lib/windows/include/dlfcn.h spine/gen/zvk.h $(RULES) test/lib/windows/build.mk
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(WINDOWS_CFLAGS) -Itest/lib/present -static -o $@ $(filter %.c,$^) -lwinpthread -lgdi32
# Drivers and layers that crash, for vkloader run --find-culprit.
WINDOWS_CRASHES := $(addprefix $(B)/test/,crash.dll hang.dll abort.dll)
$(B)/test/hang.dll: CRASH := -DHANGS
$(B)/test/abort.dll: CRASH := -DABORTS
$(WINDOWS_CRASHES): test/lib/windows/program/crash.c $(RULES) test/lib/windows/build.mk
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(OPT) $(CRASH) -shared -static -Wl,--kill-at -o $@ $<
fakes: $(WINDOWS_PROGRAMS) $(WINDOWS_CRASHES)
endif
