# The core in C, translated from Go by tools/goc. Each system's core has its own search, which its first function selects.

CORE_linux := build/core.c
CORE_windows := build/windows/core.c
CORE_macos := build/macos/core.c
CORE := $(CORE_$(SYSTEM))
BEGIN_linux := Begin
BEGIN_windows := BeginWindows
BEGIN_macos := BeginMacOS
CORE_WORDS_linux := -macro vkloader/internal/core/search.linuxSysConfDir=VKL_SYSCONFDIR \
		-macro vkloader/internal/core/search.linuxExtraDir=VKL_EXTRASYSCONFDIR
CORE_WORDS_macos := -macro vkloader/internal/core/search.macOSSysConfDir=VKL_SYSCONFDIR \
		-macro vkloader/internal/core/search.macOSExtraDir=VKL_EXTRASYSCONFDIR \
		-macro vkloader/internal/core/search.macOSDataDirs=VKL_DATADIRS

# OPT=-O0 compiles the spine for a debugger. Without any optimisation, the core would need 32 kB of stack, but programs
# call on stacks of 16 kB. CORE_OPT= compiles the core like the rest all the same.
CORE_OPT := $(if $(filter -O0,$(OPT)),-O1)
# Go wraps integers, converts any pointer, and does no arithmetic with extra precision. Programs call on stacks of 16
# kB.
CORE_CFLAGS := -std=gnu11 -fwrapv -fno-strict-aliasing -ffp-contract=off \
	$(if $(CLANG),,-fconserve-stack -Wno-stringop-overread) -DVKL_SYSCONFDIR='"$(SYSCONFDIR)"' \
	-DVKL_EXTRASYSCONFDIR='"$(EXTRASYSCONFDIR)"' -DVKL_DATADIRS='"$(DATADIRS)"' -DVKL_LOADER_BITS='"$(BITS)"' $(CORE_OPT)

# The search directories are compiled in, so other directories need another library.
$(B)/directories: FORCE
	$(Q)mkdir -p $(B)
	$(Q)echo '$(SYSCONFDIR):$(EXTRASYSCONFDIR):$(DATADIRS)' > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

.PHONY: core
core: $(CORE)
ifneq ($(wildcard spine/gen/core.c),)
build/core.c: spine/gen/core.c # from make dist: no Go is needed for the library
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@
else
$(CORE): $(shell find internal/core tools/goc -name '*.go' ! -name '*_test.go' -o -name '*.[ch]') go.mod
	$(call say,GOC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)CGO_ENABLED=0 $(GO) run ./tools/goc -o $@ $(CORE_WORDS_$(SYSTEM)) \
		-macro vkloader/internal/core/manifest.loaderBits=VKL_LOADER_BITS ./internal/core/entry \
		$(BEGIN_$(SYSTEM))=core_go_begin Add=core_go_add Decide=core_go_decide
endif
