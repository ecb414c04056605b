package binary

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"vkloader/test/lib/dlltest"
)

func TestReadPE(t *testing.T) {
	t.Parallel()
	for class, machine := range map[int]string{32: "x86", 64: "x86-64"} {
		l, err := ReadPE(bytes.NewReader(dlltest.Library(class, "vk_icdGetInstanceProcAddr", "other")))
		if err != nil || l.Class != class || l.Machine != machine || !l.Exports("vk_icdGetInstanceProcAddr") || !l.Exports("other") || l.Exports("vk") {
			t.Errorf("%d: %+v, %v", class, l, err)
		}
	}
	if _, err := ReadPE(bytes.NewReader([]byte("text"))); err == nil {
		t.Error("a text is taken for a library")
	}
}

// A damaged file only causes an error.
func FuzzReadPE(f *testing.F) {
	whole := dlltest.Library(64, "a", "b")
	f.Add(whole)
	f.Add(whole[:0x410])
	far := slices.Clone(whole)
	binary.LittleEndian.PutUint32(far[0x400+24:], 0xffffffff)
	f.Add(far)
	f.Fuzz(func(_ *testing.T, data []byte) {
		if l, err := ReadPE(bytes.NewReader(data)); err == nil {
			l.Exports("a")
		}
	})
}
