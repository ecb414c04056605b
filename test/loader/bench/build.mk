# The programs of make bench. With the library, the core and the null driver, they run on a machine without Go: bench
# looks for all other files in its own directory and in the parent directory.
BENCH_DEPS := $(wildcard test/loader/bench/program/*.[ch]) spine/interface.h spine/gen/zvk.h $(RULES)
BENCH_LIFE := $(addprefix test/loader/bench/program/,bench.c state.c operations.c)

$(B)/bench/measure $(B)/bench/cycles: $(B)/bench/%: test/loader/bench/program/%.c $(BENCH_DEPS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) $(PROGRAM_LDFLAGS) -o $@ $< $(BENCH_LIFE) -ldl

$(B)/bench/libVkLayer_nothing.so: test/loader/bench/program/nothing.c $(BENCH_DEPS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MODULE_CFLAGS) $(MODULE_LDFLAGS) -o $@ $<

$(B)/bench/bench: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags='-s -w' -o $@.new ./test/loader/bench
	$(Q)if cmp -s $@.new $@; then rm $@.new; else printf '  %-6s %s\n' GO $@; mv $@.new $@; fi

.PHONY: bench-programs
bench-programs: spine core drivers $(addprefix $(B)/bench/,bench measure cycles libVkLayer_nothing.so)
