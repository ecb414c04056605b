# The library: one for this system, and its variants with sanitizers for the tests.

SPINE_RULES := $(RULES) spine/build.mk
LIBRARY_linux := libvulkan.so
LIBRARY_windows := vulkan-1.dll
LIBRARY_macos := libvulkan.1.dylib
.PHONY: spine asan tsan
spine: $(B)/$(LIBRARY_$(SYSTEM))
asan: spine $(B)/asan/libvulkan.so
tsan: spine $(B)/tsan/libvulkan.so

# ---- sources ----------------------------------------------------------------------------------------------------

SPINE_SRC := $(filter-out spine/gen/core.c,$(wildcard spine/*/*.c $(foreach d,$(DIRECTORIES_$(SYSTEM)),spine/*/$(d)/*.c))) spine/asm/tables.S \
	$(wildcard spine/asm/$(SYSTEM)/$(MACHINE).S)
# The file with a large table is linked last, so that the variables of all other files share the page that the dynamic
# linker has written to.
SPINE_LARGE := spine/process/claim.c
# Destructors run from the last file to the first.
FIRST_macos := spine/process/macos/finish.c
SPINE_FIRST := $(FIRST_$(SYSTEM))
SPINE_SRC := $(SPINE_FIRST) $(filter-out $(SPINE_LARGE) $(SPINE_FIRST),$(SPINE_SRC))

# ---- flags ------------------------------------------------------------------------------------------------------

SPINE_INCLUDES := -Ispine -Ispine/asm/$(SYSTEM) -Ispine/asm/posix -Iinternal/core/runtime/c
SPINE_WORDS := -DVKL_RELEASE='"$(RELEASE)"' -DVKL_MACHINE='"$(MACHINE)"' -fPIC -fvisibility=hidden
# Compilers for 32-bit ARM, riscv64 and mips64el write no unwind tables for C by default; others do.
UNWIND := $(if $(filter armhf armel riscv64 mips64el,$(MACHINE)),-funwind-tables)
SPINE_CFLAGS_linux := $(UNWIND) $(SPINE_WORDS) $(NO_PLT_$(MACHINE))
SPINE_CFLAGS_macos := $(SPINE_WORDS)
SPINE_CFLAGS := $(CSTD) $(SPINE_CFLAGS_$(SYSTEM)) $(SPINE_INCLUDES)
# Programs call on stacks of 16 kB: warns of variable-length arrays and large frames. Frames are larger without
# optimisation and with sanitizers.
NO_ARRAYS := -Wvla -Walloca
SMALL_FRAMES_linux := -Wframe-larger-than=2048
SMALL_FRAMES_macos := $(SMALL_FRAMES_linux)
SMALL_FRAMES := $(if $(filter -O0,$(OPT)),,$(SMALL_FRAMES_$(SYSTEM)))
# asm/trampolines.c must consist of jumps in every build.
JUMPS_windows_i386 := -mno-stackrealign -mpreferred-stack-boundary=2
JUMPS := -O2 -fno-sanitize=all -fomit-frame-pointer -fno-stack-protector -fno-lto \
	$(if $(CLANG),,-fno-reorder-blocks-and-partition) $(JUMPS_$(SYSTEM)_$(MACHINE))

SPINE_LDFLAGS_linux := -shared -Wl,-soname,libvulkan.so.1 -Wl,-Bsymbolic -Wl,-z,defs -Wl,-z,relro -Wl,-z,now \
	-Wl,-z,noexecstack -Wl,--as-needed -Wl,--hash-style=gnu -nostartfiles $(LDFLAGS_$(MACHINE)) $(LDFLAGS_EXTRA)
# The compiler for Windows on Arm is zig. Its linker has fewer options, and it compiles the resources, too.
ZIG_windows := $(filter $(CURDIR)/build/zig/zig,$(CC))
ZIG := $(ZIG_$(SYSTEM))
# Links the needed parts of the compiler's libraries statically. The file has the same section alignment as memory, so
# that Wine maps sections instead of reading them.
HIGH_64 := -Wl,--high-entropy-va
SPINE_LDFLAGS_windows := $(if $(ZIG),-shared -s -Wl$(,)--dynamicbase -Wl$(,)--nxcompat -Wl$(,)--high-entropy-va,-shared -static-libgcc \
	-Wl$(,)--dynamicbase -Wl$(,)--nxcompat $(HIGH_$(BITS)) -Wl$(,)--no-insert-timestamp -Wl$(,)--exclude-all-symbols -Wl$(,)--file-alignment=4096)
# The dynamic linker compares these versions, which are LunarG's; the patch number does not fit into 8 bits. Packagers
# set another install name and sign the library, which needs room after the load commands.
SPINE_LDFLAGS_macos := -shared -Wl,-install_name,@rpath/libvulkan.1.dylib -Wl,-compatibility_version,1.0.0 \
	-Wl,-current_version,1.4.0 -Wl,-headerpad_max_install_names
SPINE_LDFLAGS := $(SPINE_LDFLAGS_$(SYSTEM))

# ---- rules ------------------------------------------------------------------------------------------------------

# $(1): directory of the variant below build, or empty; $(2): its flags; $(3): a test's source that is linked in, and
# linker flags for it
define spine_variant
$(1)SPINE_OBJ := $$(patsubst %,$(B)/$(1)obj/%.o,$$(SPINE_SRC) $(firstword $(3))) $(B)/$(1)obj/core.o $$(SPINE_LARGE:%=$(B)/$(1)obj/%.o)
$(B)/$(1)libvulkan.so.$(VERSION): $$($(1)SPINE_OBJ)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $(2) $$(SPINE_LDFLAGS) $(wordlist 2,9,$(3)) -o $$@ $$^ $(SPINE_LIBS)
	$$(Q)ls $(B)/$(1)libvulkan.so.*.*.* | grep -vxF $$@ | xargs -r rm -f
$(B)/$(1)libvulkan.so.1: $(B)/$(1)libvulkan.so.$(VERSION)
	$$(Q)ln -sf $$(<F) $$@
$(B)/$(1)libvulkan.so: $(B)/$(1)libvulkan.so.1
	$$(Q)ln -sf $$(<F) $$@
$(B)/$(1)obj/spine/%.o: spine/% $(SPINE_RULES)
	$$(call say,CC,$$<$(if $(1), ($(1:/=))))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $(2) $$(SPINE_CFLAGS) $$(NO_ARRAYS) $(if $(1),$$(if $$(filter %.c,$$<),-include test/lib/lock_check.h),$$(SMALL_FRAMES)) $$(if $$(filter %/trampolines.c,$$(filter spine/asm/%,$$<)),$$(JUMPS)) $$(DEPS) -c -o $$@ $$<
$(B)/$(1)obj/test/%.o: test/% $(SPINE_RULES)
	$$(call say,CC,$$<$(if $(1), ($(1:/=))))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $(2) $$(SPINE_CFLAGS) $$(DEPS) -c -o $$@ $$<
$(B)/$(1)obj/core.o: $(CORE) $(B)/directories $(SPINE_RULES)
	$$(call say,CC,$$<$(if $(1), ($(1:/=))))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $(2) $$(SPINE_CFLAGS) $$(CORE_CFLAGS) -c -o $$@ $$<
-include $$($(1)SPINE_OBJ:.o=.d)
endef
$(eval $(call spine_variant,,$(OPT)))
RECORD := test/loader/equal/c/record.c $(patsubst %,-Wl$(,)--wrap=core_go_%,begin add decide)
$(eval $(call spine_variant,asan/,-O1 -g1 -fno-omit-frame-pointer -fsanitize=address$(,)undefined,$(RECORD)))
$(eval $(call spine_variant,tsan/,-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread))

# zig's linker writes the time into the file header, with any options, unless this variable is set.
NO_TIME := SOURCE_DATE_EPOCH=0
# The DLL exports the names in zexports.def (WIN-002 to 004). Debug information is in a separate file, because it would
# be mapped with the DLL.
$(B)/vulkan-1.dll: $(SPINE_OBJ) spine/gen/zexports.def $(B)/obj/version.$(if $(ZIG),res,o)
	$(call say,LD,$@)
	$(Q)$(CC) $(OPT) $(SPINE_LDFLAGS) -o $@ $^
ifeq ($(ZIG),)
	$(Q)$(NO_TIME) $(CC:gcc=objcopy) --only-keep-debug $@ $@.debug
	$(Q)$(NO_TIME) $(CC:gcc=strip) --strip-debug $@
	$(Q)$(NO_TIME) $(CC:gcc=objcopy) --add-gnu-debuglink=$@.debug $@
endif
$(B)/obj/version.o: spine/process/windows/version.rc VERSION $(SPINE_RULES)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC:gcc=windres) -DVKL_RELEASE=$(RELEASE) -DVKL_HEADER_VERSION=$(HEADER_VERSION) -o $@ $<
$(B)/obj/version.res: spine/process/windows/version.rc VERSION $(SPINE_RULES)
	$(Q)mkdir -p $(@D)
	$(Q)$(ZIG) rc /d VKL_RELEASE=$(RELEASE) /d VKL_HEADER_VERSION=$(HEADER_VERSION) /fo $@ $<

# The file name is also the default identifier of the code signature.
$(B)/libvulkan.1.dylib: $(SPINE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(OPT) $(SPINE_LDFLAGS) -o $@ $^
