package windows

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// failingDriver is a driver that crashes in the call that a macro selects: at its load, in the list of extensions, or in vkCreateInstance.
// Otherwise it creates no instance.
const failingDriver = `
#include <windows.h>
typedef void (*function)(void);
static int __stdcall list(const char *layer, unsigned *count, void *properties)
{
#ifdef LISTS
    *(volatile int *)0 = 1;
#endif
    return *count = 0;
}
static int __stdcall create(const void *info, const void *allocator, void **instance)
{
#ifdef CREATES
    *(volatile int *)0 = 1;
#endif
    return -9;
}
function __stdcall vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    return !lstrcmpA(name, "vkCreateInstance") ? (function)create : !lstrcmpA(name, "vkEnumerateInstanceExtensionProperties") ? (function)list : 0;
}
int __stdcall vk_icdNegotiateLoaderICDInterfaceVersion(unsigned *version)
{
    if (*version > 5) *version = 5;
    return 0;
}
#ifdef LOADS
BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved)
{
    if (reason == DLL_PROCESS_ATTACH) *(volatile int *)0 = 1;
    return TRUE;
}
#endif
`

// failing builds a failing driver into drive C for programs of the word size, and returns its path there.
func failing(t *testing.T, size, kind string) string {
	t.Helper()
	library := manifestFile(t, "drivers/"+kind+size+".dll", "")
	source := manifestFile(t, "drivers/"+kind+size+".c", failingDriver)
	dir, _ := root(t)
	place := func(path string) string {
		return filepath.Join(dir, "root/prefix/drive_c", strings.ReplaceAll(strings.TrimPrefix(path, `C:\`), `\`, "/"))
	}
	list := manifestFile(t, "drivers/"+kind+size+".def", "EXPORTS\nvk_icdGetInstanceProcAddr\nvk_icdNegotiateLoaderICDInterfaceVersion\n")
	if text, err := exec.Command(compilers[size], "-D"+kind, "-shared", "-o", place(library), place(source), place(list), "-Wl,--kill-at").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return library
}

// holds: WIN-057
//
// TestFailingDrivers tests drivers that fail in different calls. As administrator, no variable excludes a driver: doctor accuses only the
// drivers that the loader leaves out, and says that none was tested alone.
func TestFailingDrivers(t *testing.T) {
	for _, size := range sizes {
		other := map[string]string{"x64": "x86", "x86": "x64"}[size]
		for _, c := range []struct{ name, size, kind, verdict, what, elevated, elevatedWhat, findings string }{
			{"crashes at its load", size, "LOADS", "^Broken: failing.json fails; ", "INCOMPATIBLE_DRIVER", "^Broken: failing.json fails; ", "the loader skips it", "driver-fails"},
			{"crashes in the list", size, "LISTS", "^Broken: failing.json crashes; ", "enumerating extensions", "^Broken: drivers and layers together fail", "", "driver-crashes"},
			{"crashes in vkCreateInstance", size, "CREATES", "^Broken: failing.json crashes; ", "vkCreateInstance", "^Broken: drivers and layers together fail", "", "driver-crashes"},
			{"creates no instance", size, "NOTHING", "^Broken: failing.json fails; ", "INCOMPATIBLE_DRIVER", "^Broken: failing.json fails; ", "the loader skips it", "driver-fails"},
			{"is for other programs", other, "NOTHING", "^llvmpipe.* works; 1 problem$", "", "^llvmpipe.* works; 1 problem$", "", "library-foreign"},
		} {
			t.Run(size+" "+c.name, func(t *testing.T) {
				registered(t, size, "Drivers", "failing.json", driverManifest(failing(t, c.size, c.kind)))
				for _, as := range both {
					verdict, what, code, findings := c.verdict, c.what, 1, c.findings
					if as == elevated {
						verdict, what = c.elevated, c.elevatedWhat
						if strings.Contains(verdict, "together") {
							findings = "together-fails"
						}
					}
					e := askedAs[examined](t, as, size, code, "doctor")
					var problems, whats []string
					for _, f := range e.Findings {
						if f.Severity == "problem" {
							problems, whats = append(problems, f.Code), append(whats, f.What)
						}
					}
					if !regexp.MustCompile(verdict).MatchString(e.Verdict) || strings.Join(problems, " ") != findings || !strings.Contains(strings.Join(whats, "\n"), what) {
						t.Errorf("%s: not %q, %q and %q: %+v", as, verdict, what, findings, e)
					}
					text, _ := toolAs(t, as, size, code, "doctor")
					if as == elevated && strings.Contains(text, "works alone") {
						t.Errorf("no driver was tried alone:\n%s", text)
					}
					if c.kind == "LOADS" && !strings.Contains(text, ` with error 998 (its start code crashes)`) {
						t.Errorf("%s: the system's error is not in words:\n%s", as, text)
					}
					if list, _ := toolAs(t, as, size, 0, "list", "drivers"); strings.Contains(list, "its library cannot be loaded: ") != (c.size != size) {
						t.Errorf("%s: %s", as, list)
					}
				}
			})
		}
	}
}
