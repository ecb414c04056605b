package doctor_test

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/systems"
	"vkloader/internal/tool/doctor"
	made "vkloader/test/lib/binary"
	"vkloader/test/lib/dlltest"
	"vkloader/test/lib/tree"
)

// laid writes files and returns the machine with them.
func laid(t *testing.T, files map[string]string) machine.Machine {
	t.Helper()
	m := machine.Machine{Root: t.TempDir()}
	tree.Lay(t, m.Root, files)
	return m
}

func on(t *testing.T, name string) *systems.Foreign {
	t.Helper()
	system, ok := systems.Find(name)
	if !ok {
		t.Fatal(name)
	}
	return &systems.Foreign{System: system, Bits: "64"}
}

// icd returns a Windows driver.
func icd(bits string) string {
	return string(dlltest.Library(map[string]int{"32": 32, "64": 64}[bits], "vk_icdGetInstanceProcAddr"))
}

// mach returns a library header for a 64-bit or a 32-bit processor.
func mach(bits string) string {
	var b bytes.Buffer
	head := macho.FileHeader{Magic: macho.Magic64, Cpu: macho.CpuArm64, Type: macho.TypeDylib}
	if bits == "32" {
		head.Magic, head.Cpu = macho.Magic32, macho.CpuArm
	}
	_ = binary.Write(&b, binary.LittleEndian, head)
	return b.String() + "\x00\x00\x00\x00"
}

// ExamineForeign judges a library by the file format of the machine's system.
func TestExamineForeign(t *testing.T) {
	t.Parallel()
	manifest := func(library string) string {
		return `{"file_format_version":"1.0.1","ICD":{"library_path":"` + library + `","api_version":"1.3.0"}}`
	}
	for _, c := range []struct {
		system, bits, manifest, library string
		content                         string
		want                            string
	}{
		{"windows", "64", "c/d.json", "c/windows/SYSTEM32/x.dll", icd("64"), ""},
		{"windows", "64", "c/d.json", "c/windows/SYSTEM32/x.dll", icd("32"), "library-foreign"},
		{"windows", "32", "c/d.json", "c/windows/SysWOW64/x.dll", icd("32"), ""},
		{"windows", "64", "c/d.json", "c/windows/SysWOW64/x.dll", icd("64"), "library-missing"},
		{"windows", "64", "c/d.json", "c/windows/System32/x.dll", "text", "library-unreadable"},
		{"macos", "64", "etc/vulkan/icd.d/d.json", "usr/local/lib/x.dll", mach("64"), ""},
		{"macos", "64", "etc/vulkan/icd.d/d.json", "usr/lib/x.dll", mach("32"), "library-foreign"},
		{"macos", "64", "etc/vulkan/icd.d/d.json", "usr/lib/x.dll", icd("64"), "library-unreadable"},
		{"fuchsia-upstream", "64", "pkg/data/vulkan/icd.d/d.json", "x", "", ""},
		{"fuchsia", "64", "svc/fuchsia.vulkan.loader.Loader/manifest-fs/d.json", "x", "", ""},
	} {
		s := on(t, c.system)
		s.Bits = c.bits
		s.Machine = laid(t, map[string]string{c.manifest: manifest("x.dll"), c.library: c.content})
		if c.system == "windows" {
			s.Machine.Environ = []string{`VK_DRIVER_FILES=C:\d.json`}
		}
		answer, err := explain.Decide(s, explain.WithPlatform(s.System.Platform(c.bits)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := doctor.ExamineForeign(s, answer)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Findings {
			if f.Severity == diag.Problem {
				got += f.Code.String()
			}
		}
		if got != c.want || len(r.Drivers) != 1 || r.Drivers[0].Good != (c.want == "") || (r.Verdict == "A driver is installed; no problems found") != (c.want == "") {
			t.Errorf("%s %s %s: %q\n%+v\n%+v", c.system, c.bits, c.library, got, r.Drivers, r.Findings)
		}
	}
}

// A layer's library is judged by the names that its manifest gives to its functions.
func TestRenamedFunctions(t *testing.T) {
	t.Parallel()
	manifest := `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_x","type":"GLOBAL","library_path":"LIB","api_version":"1.3.0",
"implementation_version":"1","description":"d","functions":{"vkNegotiateLoaderLayerInterfaceVersion":"xNegotiate"}}}`
	for _, exported := range []string{"xNegotiate", "vkNegotiateLoaderLayerInterfaceVersion"} {
		for system, files := range map[string]map[string]string{
			"windows": {"c/l.json": strings.Replace(manifest, "LIB", `.\\x.dll`, 1), "c/x.dll": string(dlltest.Library(64, exported))},
			"macos":   {"l/l.json": strings.Replace(manifest, "LIB", "x.dll", 1), "usr/local/lib/x.dll": string(made.Mach(made.MachO{Machine: "arm64", Exports: []string{exported}}))},
		} {
			s := on(t, system)
			s.Machine = laid(t, files)
			s.Machine.Environ = []string{map[string]string{"windows": `VK_LAYER_PATH=C:\`, "macos": "VK_LAYER_PATH=/l"}[system]}
			answer, err := explain.Decide(s, explain.WithPlatform(s.System.Platform("64")))
			if err != nil {
				t.Fatal(err)
			}
			r, err := doctor.ExamineForeign(s, answer)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Layers) != 1 || r.Layers[0].Good != (exported == "xNegotiate") {
				t.Errorf("%s, %s: %+v %+v", system, exported, r.Layers, r.Findings)
			}
		}
	}
}
