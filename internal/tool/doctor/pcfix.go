package doctor

import "vkloader/internal/tool/pc"

// RegistryChange is the change of the registry that was tried and ends the finding: a value goes, or its data become four bytes of
// 0 (on). False: no value of the registry ends it.
func (f *Finding) RegistryChange() (at pc.ValueName, on, is bool) {
	t, is := f.advice.(pcTried)
	if !is || t.variable != "" {
		return pc.ValueName{}, false, false
	}
	e := t.entry
	return pc.ValueName{Hive: e.hive, Bits: e.bits, Key: e.key, Name: e.name}, t.on, true
}
