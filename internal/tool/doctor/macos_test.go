//go:build linux

package doctor_test

import (
	"errors"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/doctor"
	made "vkloader/test/lib/binary"
)

// The driver of these Macs.
const (
	moltenVK     = `{"file_format_version":"1.0.0","ICD":{"library_path":"../../../lib/libMoltenVK.dylib","api_version":"1.4.0","is_portability_driver":true}}`
	usualDriver  = "usr/local/share/vulkan/icd.d/MoltenVK_icd.json"
	usualLibrary = "usr/local/lib/libMoltenVK.dylib"
	brewDriver   = "opt/homebrew/share/vulkan/icd.d/MoltenVK_icd.json"
	brewLibrary  = "opt/homebrew/lib/libMoltenVK.dylib"
)

// driverFor returns a driver's library for processors.
func driverFor(machines ...string) string {
	var parts []made.MachO
	for _, m := range machines {
		parts = append(parts, made.MachO{Machine: m, Exports: []string{"vk_icdGetInstanceProcAddr"}})
	}
	return string(made.Mach(parts...))
}

// examinedMac returns the doctor's report on a Mac with files, for a program and variables.
func examinedMac(t *testing.T, files map[string]string, program string, environ ...string) (*doctor.Report, string) {
	t.Helper()
	s := on(t, "macos")
	s.Machine = laid(t, files)
	s.Machine.Environ, s.Program = environ, program
	if at := path.Dir(path.Dir(program)) + "/Resources"; strings.HasSuffix(path.Dir(program), "/Contents/MacOS") {
		s.Own = facts.Bundle{Resources: at}
	}
	r, err := doctor.ExamineMacOS(s)
	if err != nil {
		t.Fatal(err)
	}
	return r, s.Machine.Root
}

// attention returns the codes of problems and warnings, with the shell lines of their fixes.
func attention(r *doctor.Report) (list []string) {
	for _, f := range r.Findings {
		if f.Severity == diag.Note || f.Because != nil {
			continue
		}
		list = append(list, strings.TrimSuffix(f.Severity.String()+" "+f.Code.String()+": "+string(shell.Join(f.Commands, "; ")), ": "))
	}
	return list
}

// A Mac with MoltenVK has no problem, and the verdict names what programs have to enable.
func TestMacPortability(t *testing.T) {
	t.Parallel()
	r, _ := examinedMac(t, map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("x86-64", "arm64")}, "")
	if got := attention(r); len(got) > 0 || len(r.Drivers) != 1 || !r.Drivers[0].Good {
		t.Errorf("%v\n%+v", got, r.Drivers)
	}
	if want := "Only programs that enable VK_KHR_portability_enumeration get a driver; no problems found"; r.Verdict != want {
		t.Errorf("verdict %q", r.Verdict)
	}
	at := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.Code == diag.DriverPortability })
	if at < 0 || !strings.Contains(r.Findings[at].Do, "Enable VK_KHR_portability_enumeration") {
		t.Errorf("%+v", r.Findings)
	}
	r, _ = examinedMac(t, map[string]string{usualDriver: strings.Replace(moltenVK, "true", "false", 1), usualLibrary: driverFor("arm64")}, "")
	if r.Verdict != "A driver is installed; no problems found" || len(r.Findings) > 1 {
		t.Errorf("not a portability driver: %q, %+v", r.Verdict, r.Findings)
	}
}

// Each fault of a Mac is one finding, whose fix was tried.
//
// holds: MAC-006
func TestMacFindings(t *testing.T) {
	t.Parallel()
	const home, sdk = "/Users/u", "/Users/u/VulkanSDK/1.3.296.0/macOS"
	app := "/Applications/X.app/Contents/MacOS/X"
	program := func(machines ...string) string {
		var parts []made.MachO
		for _, m := range machines {
			parts = append(parts, made.MachO{Machine: m, Program: true})
		}
		return string(made.Mach(parts...))
	}
	inBundle := "Applications/X.app/Contents/Resources/vulkan/icd.d/MoltenVK_icd.json"
	bundled := strings.Replace(moltenVK, "../../../lib", "../../../Frameworks", 1)
	for name, c := range map[string]struct {
		files   map[string]string
		program string
		environ []string
		want    []string
	}{
		"no driver": {nil, "", nil, []string{"problem driver-none: brew install molten-vk"}},
		"Homebrew on Apple processors": {map[string]string{brewDriver: moltenVK, brewLibrary: driverFor("arm64")}, "", nil,
			[]string{"problem driver-none: export VK_DRIVER_FILES=/opt/homebrew/share/vulkan/icd.d/MoltenVK_icd.json"}},
		"Homebrew's other directory": {map[string]string{"opt/homebrew/etc/vulkan/icd.d/MoltenVK_icd.json": moltenVK, brewLibrary: driverFor("arm64")}, "", nil,
			[]string{"problem driver-none: export VK_DRIVER_FILES=/opt/homebrew/etc/vulkan/icd.d/MoltenVK_icd.json"}},
		"Homebrew without the library": {map[string]string{brewDriver: moltenVK}, "", nil, []string{"problem driver-none: brew install molten-vk"}},
		"the newest SDK": {map[string]string{"Users/u/VulkanSDK/1.3.1/macOS/share/vulkan/icd.d/a.json": moltenVK, "Users/u/VulkanSDK/1.3.1/macOS/lib/libMoltenVK.dylib": driverFor("arm64"),
			"Users/u/VulkanSDK/1.4.1/macOS/share/vulkan/icd.d/a.json": moltenVK, "Users/u/VulkanSDK/1.4.1/macOS/lib/libMoltenVK.dylib": driverFor("arm64")}, "", []string{"HOME=" + home},
			[]string{"problem driver-none: export VK_DRIVER_FILES=/Users/u/VulkanSDK/1.4.1/macOS/share/vulkan/icd.d/a.json"}},
		"in the bundle and in the system": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64"), inBundle: bundled,
			"Applications/X.app/Contents/Frameworks/libMoltenVK.dylib": driverFor("arm64"), app[1:]: program("arm64")}, app, nil,
			[]string{"warning driver-copies: export VK_LOADER_SEARCH_ONLY_IN_BUNDLE=1"}},
		"two in the system": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64"),
			"etc/vulkan/icd.d/other.json": strings.Replace(moltenVK, "../../../lib", "/usr/local/lib", 1)}, "", nil,
			[]string{"warning driver-copies: export VK_DRIVER_FILES=/etc/vulkan/icd.d/other.json"}},
		"a driver for Intel": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("x86-64"), "Applications/x": program("arm64")}, "/Applications/x", nil,
			[]string{"problem library-foreign"}},
		"a driver for Apple's": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64"), "Applications/x": program("x86-64")}, "/Applications/x", nil,
			[]string{"problem library-foreign"}},
		"a driver for Intel, and the other one": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("x86-64"), "Applications/x": program("arm64"),
			brewDriver: moltenVK, brewLibrary: driverFor("arm64")}, "/Applications/x", nil,
			[]string{"problem library-foreign: export VK_DRIVER_FILES=/opt/homebrew/share/vulkan/icd.d/MoltenVK_icd.json"}},
		"a universal driver": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("x86-64", "arm64"), "Applications/x": program("x86-64")}, "/Applications/x", nil, nil},
		"a universal driver without the program's part": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("x86-64", "i386"), "Applications/x": program("arm64")}, "/Applications/x", nil,
			[]string{"problem library-foreign"}},
		"a driver of 32 bits": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("i386")}, "", nil, []string{"problem library-foreign"}},
		"no driver's library": {map[string]string{usualDriver: moltenVK, usualLibrary: string(made.Mach(made.MachO{Machine: "arm64", Exports: []string{"x"}}))}, "", nil,
			[]string{"problem driver-interface"}},
		"a stripped library": {map[string]string{usualDriver: moltenVK, usualLibrary: string(made.Mach(made.MachO{Machine: "arm64", NoSymbols: true}))}, "", nil, nil},
		"a removed SDK": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64")}, "", []string{"VULKAN_SDK=" + sdk, "VK_DRIVER_FILES=" + sdk + "/share/vulkan/icd.d/MoltenVK_icd.json",
			"VK_ADD_LAYER_PATH=" + sdk + "/share/vulkan/explicit_layer.d", "DYLD_LIBRARY_PATH=" + sdk + "/lib:/usr/local/lib"},
			[]string{"problem variable-nothing: unset VK_DRIVER_FILES", "problem variable-nothing: unset VK_ADD_LAYER_PATH"}},
		"a removed SDK, by an old script": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64")}, "", []string{"VK_ICD_FILENAMES=" + sdk + "/share/vulkan/icd.d/MoltenVK_icd.json"},
			[]string{"problem variable-nothing: unset VK_ICD_FILENAMES"}},
		"a removed SDK, for layers only": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64")}, "", []string{"VULKAN_SDK=" + sdk, "VK_LAYER_PATH=" + sdk + "/share/vulkan/explicit_layer.d"},
			[]string{"problem variable-nothing: unset VK_LAYER_PATH"}},
		"one of two drivers removed": {map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64")}, "", []string{"VK_DRIVER_FILES=" + sdk + "/x.json:/" + usualDriver},
			[]string{"warning variable-nothing: export VK_DRIVER_FILES=/" + usualDriver}},
		"an installed SDK": {map[string]string{sdk[1:] + "/share/vulkan/icd.d/MoltenVK_icd.json": moltenVK, sdk[1:] + "/lib/libMoltenVK.dylib": driverFor("arm64")}, "",
			[]string{"VULKAN_SDK=" + sdk, "VK_DRIVER_FILES=" + sdk + "/share/vulkan/icd.d/MoltenVK_icd.json"}, nil},
		"Homebrew as the SDK": {map[string]string{brewDriver: moltenVK, brewLibrary: driverFor("arm64")}, "", []string{"VULKAN_SDK=/opt/homebrew", "VK_DRIVER_FILES=/" + brewDriver}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := examinedMac(t, c.files, c.program, c.environ...)
			if got := attention(r); !slices.Equal(got, c.want) {
				t.Errorf("%q\nwant %q\n%+v", got, c.want, r.Findings)
			}
		})
	}
}

// Of two layers with one name, the loader uses that with a library for the program's processor, so there is no finding about the
// other one.
//
// holds: LAY-104
func TestMacLayersOfTwoProcessors(t *testing.T) {
	t.Parallel()
	layer := func(library string) string {
		return `{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_x","type":"GLOBAL","library_path":"` + library +
			`","api_version":"1.3.0","implementation_version":"1","description":"x","disable_environment":{"NO":"1"}}}`
	}
	library := func(machines ...string) string {
		var parts []made.MachO
		for _, m := range machines {
			parts = append(parts, made.MachO{Machine: m, Exports: []string{"vkNegotiateLoaderLayerInterfaceVersion"}})
		}
		return string(made.Mach(parts...))
	}
	for program, want := range map[string]string{"arm64": "/lib/b.dylib", "x86-64": "/lib/a.dylib"} {
		r, _ := examinedMac(t, map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("x86-64", "arm64"),
			"etc/vulkan/implicit_layer.d/a.json": layer("/lib/a.dylib"), "lib/a.dylib": library("x86-64", "i386"),
			"usr/share/vulkan/implicit_layer.d/b.json": layer("/lib/b.dylib"), "lib/b.dylib": library("arm64"),
			"Applications/x": string(made.Mach(made.MachO{Machine: program, Program: true}))}, "/Applications/x")
		if got := attention(r); len(got) > 0 || len(r.Layers) != 1 || r.Layers[0].Library != want {
			t.Errorf("%s: %q, %+v", program, got, r.Layers)
		}
	}
}

// A downloaded driver has a finding until the user has allowed it; the fix removes the attribute.
func TestMacQuarantine(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"0081;5991b778;Safari;BC4DFC58": {"warning library-quarantined: xattr -d com.apple.quarantine /usr/local/lib/libMoltenVK.dylib"},
		"0083;0;curl":                   {"warning library-quarantined: xattr -d com.apple.quarantine /usr/local/lib/libMoltenVK.dylib"},
		"text":                          {"warning library-quarantined: xattr -d com.apple.quarantine /usr/local/lib/libMoltenVK.dylib"},
		"00c1;5991b778;Safari;BC4DFC58": nil,
		"":                              nil, // no attribute
	} {
		s := on(t, "macos")
		s.Machine = laid(t, map[string]string{usualDriver: moltenVK, usualLibrary: driverFor("arm64")})
		if value != "" {
			err := syscall.Setxattr(s.Machine.Root+"/"+usualLibrary, "user.com.apple.quarantine", []byte(value), 0)
			if errors.Is(err, syscall.ENOTSUP) {
				t.Skip("the file system of temporary files has no extended attributes")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r, err := doctor.ExamineMacOS(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := attention(r); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
