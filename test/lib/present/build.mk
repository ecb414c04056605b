# present: one program of several files, for the tests with real window systems.
$(B)/test/present: test/lib/present/present.c test/lib/present/x11.c test/lib/present/wayland.c test/lib/present/window.h spine/gen/zvk.h
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -Itest/lib/present $(PROGRAM_LDFLAGS) -o $@ $(filter %.c,$^) -ldl
ifneq ($(SYSTEM),windows)
fakes: $(B)/test/present
endif
