# Programs with one source file each. The test of storm compiles it, with and without sanitizers.
$(B)/test/compute: test/lib/bin/compute.c spine/gen/zvk.h
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -o $@ $< -ldl
ifneq ($(SYSTEM),windows)
fakes: $(B)/test/compute
endif
