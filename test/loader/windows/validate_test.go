package windows

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/test/lib/dlltest"
)

// manifestFile writes a file into drive C and returns its path there. The test's end removes it.
func manifestFile(t *testing.T, name, text string) string {
	t.Helper()
	dir, _ := root(t)
	file := filepath.Join(dir, "root/prefix/drive_c", filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(text), 0o644))
	t.Cleanup(func() { _ = os.Remove(file) })
	return `C:\` + strings.ReplaceAll(name, "/", `\`)
}

// driverManifest returns the text of a driver manifest.
func driverManifest(library string) string {
	return `{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":` + quoted(library) + `}}`
}

// TestToolValidate checks manifests whose library path is relative, absolute, or a bare name: Windows' search order finds it.
//
// holds: WIN-013
func TestToolValidate(t *testing.T) {
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			crash := windowsPath(t, size, `test\crash.dll`)
			other := map[string]string{"x64": "x86", "x86": "x64"}[size]
			here := bits[size] + "-bit library "
			class := map[string]int{"x64": 64, "x86": 32}[size]
			needing := manifestFile(t, "validate/needs.dll", string(dlltest.Needing(class, []string{"gone.dll"}, "vk_icdGetInstanceProcAddr")))
			for _, c := range []struct {
				name     string
				code     int
				args     []string
				say, not string // regular expressions
			}{
				{"Wine's driver", 0, []string{`C:\windows\system32\winevulkan.json`}, `driver manifest, the loader accepts it, ` + here + `(?i)C:\\windows\\sys(tem32|WOW64)\\(\.\\)?winevulkan\.dll\n`, "problem"},
				{"a bare name", 0, []string{manifestFile(t, "validate/bare.json", driverManifest("winevulkan.dll"))}, here + `(?i)C:\\windows\\sys(tem32|WOW64)\\(\.\\)?winevulkan\.dll\n`, "problem"},
				{"a bare name without an extension", 0, []string{manifestFile(t, "validate/bare3.json", driverManifest("winevulkan"))}, here + `(?i)C:\\windows\\sys(tem32|WOW64)\\(\.\\)?winevulkan\.dll\n`, "problem"},
				{"with slashes", 0, []string{manifestFile(t, "validate/slash.json", driverManifest(strings.ReplaceAll(crash, `\`, "/")))}, here + "Z:/vkloader/.*/crash.dll\n", "problem"},
				{"a file that is gone", 1, []string{manifestFile(t, "validate/gone.json", driverManifest(`.\gone.dll`))},
					`gone\.json:1:\d+: problem: C:\\validate\\\.?\\?gone\.dll is not there \[library-missing, DRV-042\]\n`, "dynamic linker"},
				{"a bare name that is gone", 1, []string{manifestFile(t, "validate/gone2.json", driverManifest("gone.dll"))},
					`problem: gone\.dll is not there \[library-missing`, "dynamic linker"},
				{"not a library", 1, []string{manifestFile(t, "validate/text.json", driverManifest(`.\text.json`))}, `text\.json is not a Windows library \[library-unreadable`, "dynamic linker"},
				{"no driver", 1, []string{manifestFile(t, "validate/none.json", driverManifest(`C:\windows\system32\version.dll`))}, `version\.dll exports no vk_icdGetInstanceProcAddr`, "dynamic linker"},
				{"the file alone", 0, []string{"--file-only", manifestFile(t, "validate/gone3.json", driverManifest(`.\gone.dll`))}, "driver manifest, the loader accepts it\n", "gone.dll"},
				{"other letters", 0, []string{manifestFile(t, "validate/letters.json", driverManifest(wineAs(t, size, "Käse/ディスク.dll")))},
					here + `C:\\Käse\\ディスク\.dll\n`, "problem"},
				{"needs a library that is gone", 1, []string{manifestFile(t, "validate/needs.json", driverManifest(needing))},
					`problem: it needs gone\.dll: `, "dynamic linker"},
				{"no file", 3, []string{`C:\validate\none-there.json`}, `none-there\.json: does not exist\n`, "accepts"},
				{"a layer of the other word size", 0, []string{windowsPath(t, other, `layers\VkLayer_drawstats.json`)},
					bits[other] + `-bit library Z:.*VkLayer_drawstats\.dll\n`, "problem"},
			} {
				out, errOut := tool(t, size, c.code, append([]string{"validate"}, c.args...)...)
				if !regexp.MustCompile(c.say).MatchString(out) || regexp.MustCompile(c.not).MatchString(out) {
					t.Errorf("%s: no %q, or %q, in\n%s%s", c.name, c.say, c.not, out, errOut)
				}
			}
		})
	}
}

// wineAs copies Wine's driver to a file of drive C and returns its path there.
func wineAs(t *testing.T, size, name string) string {
	t.Helper()
	dir, _ := root(t)
	system := map[string]string{"x64": "system32", "x86": "syswow64"}[size]
	text, err := os.ReadFile(filepath.Join(dir, "root/prefix/drive_c/windows", system, "winevulkan.dll"))
	must(t, err)
	return manifestFile(t, name, string(text))
}

// dropFile removes a file of drive C.
func dropFile(t *testing.T, name string) {
	t.Helper()
	dir, _ := root(t)
	must(t, os.Remove(filepath.Join(dir, "root/prefix/drive_c", name)))
}
