# Drivers and layers of this repository, each a library and its manifest.

# On Windows there is no null driver: it maps memory with functions of Linux and macOS.
DRIVERS_linux := $(sort $(patsubst drivers/%/,%,$(dir $(wildcard drivers/*/*.c))))
DRIVERS_macos := $(DRIVERS_linux)
LAYERS := $(sort $(patsubst layers/%/,%,$(dir $(wildcard layers/*/*.c))))
# The file name of a library. The manifests in the source contain Linux's.
module_linux = lib$(1).so
module_windows = $(1).dll
module_macos = lib$(1).dylib
MANIFEST_linux := cat
MANIFEST_macos := sed 's|\.so"|.dylib"|'
MANIFEST_windows := sed 's|"\./lib\(.*\)\.so"|".\\\\\1.dll"|'

.PHONY: drivers layers
# $(1): kind, drivers or layers; $(2): name; $(3): library
define module
$(B)/$(1)/$(3): $$(patsubst %,$(B)/obj/%.o,$$(wildcard $(1)/$(2)/*.c $(1)/$(2)/*.S))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(MODULE_LDFLAGS) $$(MODULE_LDFLAGS_$(SYSTEM)_$(2)) -o $$@ $$^ $(MODULE_LIBS)
$(1): $(B)/$(1)/$(3) $$(patsubst $(1)/$(2)/%,$(B)/$(1)/%,$$(wildcard $(1)/$(2)/*.json))
$(B)/$(1)/%.json: $(1)/$(2)/%.json
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(MANIFEST_$(SYSTEM)) $$< > $$@
-include $$(patsubst %,$(B)/obj/%.d,$$(wildcard $(1)/$(2)/*.c $(1)/$(2)/*.S))
endef
$(foreach d,$(DRIVERS_$(SYSTEM)),$(eval $(call module,drivers,$(d),$(call module_$(SYSTEM),vk_$(d)))))
$(foreach l,$(LAYERS),$(eval $(call module,layers,$(l),$(call module_$(SYSTEM),VkLayer_$(l)))))

$(B)/obj/drivers/%.o: drivers/% $(RULES) drivers/build.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MODULE_CFLAGS) $(DEPS) -c -o $@ $<
$(B)/obj/layers/%.o: layers/% $(RULES) drivers/build.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MODULE_CFLAGS) $(DEPS) -c -o $@ $<
