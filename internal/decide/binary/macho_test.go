package binary_test

import (
	"bytes"
	"slices"
	"testing"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	made "vkloader/test/lib/binary"
	"vkloader/test/lib/tree"
)

const icd = "vk_icdGetInstanceProcAddr"

// ReadMachO lists the parts of a file with their exports.
func TestReadMachO(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data     []byte
		machines []string
		exports  bool
		symbols  bool
	}{
		{made.Mach(made.MachO{Machine: "arm64", Exports: []string{icd}}), []string{"arm64"}, true, true},
		{made.Mach(made.MachO{Machine: "arm64"}), []string{"arm64"}, false, true},
		{made.Mach(made.MachO{Machine: "arm64", NoSymbols: true}), []string{"arm64"}, false, false},
		{made.Mach(made.MachO{Machine: "i386", Exports: []string{icd}}), []string{"i386"}, true, true},
		{made.Mach(made.MachO{Machine: "x86-64"}, made.MachO{Machine: "arm64", Exports: []string{"a", icd, "z"}}), []string{"x86-64", "arm64"}, true, true},
	} {
		m, err := binary.ReadMachO(bytes.NewReader(c.data))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Machines(), c.machines) || m.Exports(icd) != c.exports || m.Symbols() != c.symbols || !m.Parts[0].Library {
			t.Errorf("%v, exports %v, symbols %v: want %+v", m.Machines(), m.Exports(icd), m.Symbols(), c)
		}
		for n := range c.data { // a file that is cut off after n bytes
			if cut, err := binary.ReadMachO(bytes.NewReader(c.data[:n])); err == nil && len(cut.Parts) > len(c.machines) {
				t.Errorf("%d bytes: %v", n, cut.Machines())
			}
		}
	}
	if _, err := binary.ReadMachO(bytes.NewReader([]byte("\x7fELF and more text"))); err == nil {
		t.Error("an ELF file is taken for one of macOS")
	}
}

// FuzzReadMachO reads damaged files. The reader may only return errors.
func FuzzReadMachO(f *testing.F) {
	f.Add(made.Mach(made.MachO{Machine: "x86-64"}, made.MachO{Machine: "arm64", Exports: []string{icd}, Hardened: true}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := binary.ReadMachO(bytes.NewReader(data)); err == nil && len(m.Parts) == 0 {
			t.Error("a file without parts")
		}
	})
}

// macOS removes the variables of dyld from its own programs, from programs with the hardened runtime and without the
// entitlement, and from scripts whose interpreter is one of these.
func TestProtected(t *testing.T) {
	t.Parallel()
	hardened := made.MachO{Machine: "arm64", Program: true, Hardened: true}
	allowed := hardened
	allowed.Entitlements = "<dict><key>com.apple.security.cs.allow-dyld-environment-variables</key>\n\t<true/></dict>"
	refused := hardened
	refused.Entitlements = "<dict><key>com.apple.security.cs.allow-dyld-environment-variables</key><false/></dict>"
	m := machine.Machine{Root: t.TempDir()}
	tree.Lay(t, m.Root, map[string]string{
		"usr/bin/env":   string(made.Mach(made.MachO{Machine: "arm64", Program: true})),
		"opt/plain":     string(made.Mach(made.MachO{Machine: "arm64", Program: true})),
		"opt/hardened":  string(made.Mach(hardened)),
		"opt/universal": string(made.Mach(made.MachO{Machine: "x86-64", Program: true}, hardened)),
		"opt/allowed":   string(made.Mach(allowed)),
		"opt/refused":   string(made.Mach(refused)),
		"opt/script":    "#!/usr/bin/env python3\n",
		"opt/own":       "#! /opt/plain -x\n",
		"opt/itself":    "#!/opt/itself\n",
		"opt/empty":     "",
	})
	for program, want := range map[string]string{
		"/usr/bin/env":          "belongs to macOS",
		"/usr/bin/../bin/env":   "belongs to macOS",
		"/usr/binary/x":         "",
		"/opt/plain":            "",
		"/opt/hardened":         "has the hardened runtime",
		"/opt/universal":        "has the hardened runtime",
		"/opt/allowed":          "",
		"/opt/refused":          "has the hardened runtime",
		"/opt/script":           "is a script for /usr/bin/env, which belongs to macOS",
		"/opt/own":              "",
		"/opt/itself":           "",
		"/opt/empty":            "",
		"/opt/missing":          "",
		"/System/Library/x/y":   "belongs to macOS",
		"/Applications/missing": "",
	} {
		if got := binary.Protected(&m, program); got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
}

// A header is foreign if the file has no part for the processor.
func TestForeignMachO(t *testing.T) {
	t.Parallel()
	arm, x86 := made.MachO{Machine: "arm64"}, made.MachO{Machine: "x86-64"}
	for _, c := range []struct {
		head      []byte
		processor string
		want      bool
	}{
		{made.Mach(arm), "arm64", false},
		{made.Mach(arm), "amd64", true},
		{made.Mach(x86), "arm64", true},
		{made.Mach(x86, arm), "arm64", false},
		{made.Mach(x86, arm), "amd64", false},
		{made.Mach(made.MachO{Machine: "i386"}), "amd64", true},
		{[]byte("text"), "arm64", false},
		{nil, "arm64", false},
		{made.Mach(x86, arm)[:20], "arm64", false},
	} {
		if got := machine.ForeignMachO(c.head, c.processor); got != c.want {
			t.Errorf("%x for %s: %v", c.head[:min(len(c.head), 32)], c.processor, got)
		}
	}
}
