package binary

import (
	"bytes"
	"testing"

	"vkloader/test/lib/dlltest"
)

// peSigner returns the name in the certificate of a signature, and whether the file was changed after it was signed.
func TestSigner(t *testing.T) {
	t.Parallel()
	for _, class := range []int{32, 64} {
		file := dlltest.Signed(t, dlltest.Library(class, "vkCreateInstance"), class, "Acme Graphics")
		l, err := ReadPE(bytes.NewReader(file))
		if err != nil || l.Signer != "Acme Graphics" || l.Changed {
			t.Errorf("%d: %+v, %v", class, l, err)
		}
		file[0x210] ^= 1 // a byte of a header or a section
		if l, err = ReadPE(bytes.NewReader(file)); err != nil || l.Signer != "Acme Graphics" || !l.Changed {
			t.Errorf("%d, changed: %+v, %v", class, l, err)
		}
		if l, err = ReadPE(bytes.NewReader(file[:len(file)-5])); err != nil || l.Signer != "" || l.Changed {
			t.Errorf("%d, cut off: %+v, %v", class, l, err)
		}
		if l, err = ReadPE(bytes.NewReader(dlltest.Library(class, "a"))); err != nil || l.Signer != "" || l.Changed {
			t.Errorf("%d, not signed: %+v, %v", class, l, err)
		}
	}
}
