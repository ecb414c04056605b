package loaders

import (
	"bytes"

	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// looksUp is a function of drivers that every loader looks up by its name since 2015, and programs do not.
const looksUp = "vk_icdNegotiateLoaderICDInterfaceVersion\x00"

// linkedIn is the loader that is linked into a program; nil: none is. A program that names libvulkan.so.1 as a library that it
// needs, or needs a library that does, has none.
func linkedIn(m *machine.Machine, linker *binary.Linker, known Known) *Loader {
	p := linker.Program()
	if p == nil || p.Interp == "" || p.Err() != nil {
		return nil
	}
	if l, is := known[p.Path]; is {
		return l
	}
	var l *Loader
	if data, err := m.ReadLarge(p.Path); err == nil && bytes.Contains(data, []byte(looksUp)) {
		if l = Identify(m, p.Path); l.texts == nil {
			l = nil
		} else {
			l.Inside = true
		}
	}
	if known != nil {
		known[p.Path] = l
	}
	return l
}
