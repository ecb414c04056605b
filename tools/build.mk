# Generated files, and programs that measure the library.

.PHONY: generate generate-check conformance bench mutants abi
generate:
	$(Q)test -f '$(VK_XML)' || { echo 'No registry at "$(VK_XML)": give VK_XML=.../vk.xml' >&2; exit 2; }
	$(Q)$(GO) run ./tools/vkgen -xml '$(VK_XML)'
	$(Q)$(GO) generate ./...

# Checks that the generated files are current, without changing them.
generate-check:
	$(Q)VK_XML='$(VK_XML)' tools/generated.sh

# Writes every statement of spec/ with its tests, or the reason for none.
conformance:
	$(Q)mkdir -p $(B)
	$(Q)$(GO) run ./test/conformance > $(B)/conformance.md
	@echo '$(B)/conformance.md lists every statement with its tests'

# BENCH: flags, for example BENCH="-rounds 5 -only start,warm"; see test/loader/bench. PEER: another libvulkan.so.1 to
# measure, too.
bench:
	$(Q)tools/bench.sh $(if $(PEER),-peer $(abspath $(PEER))) $(BENCH)

# MUTANTS: flags, for example MUTANTS="-n 20 -files spine/physdev"; see tools/mutants.
mutants: all
	$(Q)$(GO) run ./tools/mutants $(MUTANTS)

# ABI: another library to compare with.
abi:
	$(Q)tools/abi.sh $(ABI)
