# present: one program of several files, for the tests with real window systems.
$(B)/test/present: test/present/present.c test/present/x11.c test/present/wayland.c test/present/window.h spine/gen/zvk.h
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -Itest/present $(PROGRAM_LDFLAGS) -o $@ $(filter %.c,$^) -ldl
fakes: $(if $(WINDOWS),,$(B)/test/present)
