package loaders

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

const place = "/usr/lib/x86_64-linux-gnu/"

// world returns a machine with these files: words for a library (see test/lib/binary), "-> TARGET" for a link, "= TEXT" for
// another file.
func world(t *testing.T, files map[string]string) *machine.Machine {
	t.Helper()
	m := &machine.Machine{Root: t.TempDir()}
	tree.Libraries(t, m.Root, files)
	return m
}

// The version comes from the file's name, from the package, or from a text in the file; otherwise it is unknown.
func TestVersions(t *testing.T) {
	t.Parallel()
	debian := map[string]string{"etc/os-release": "= NAME=\"Debian GNU/Linux\"\nID=debian\n"}
	status := "= Package: other\nVersion: 9\n\nPackage: libvulkan1\nStatus: install ok installed\nArchitecture: i386\nVersion: 1.3.1\n\n" +
		"Package: libvulkan1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.3.204.1-2\n\n"
	for _, c := range []struct {
		name                string
		files               map[string]string
		version, from, says string
	}{
		{"name and package", map[string]string{place + "libvulkan.so.1": "-> libvulkan.so.1.3.239", place + "libvulkan.so.1.3.239": "soname=x",
			"var/lib/dpkg/info/libvulkan1:amd64.list": "= /.\n" + place + "libvulkan.so.1.3.239\n", "var/lib/dpkg/status": status},
			"1.3.239", FromName, "libvulkan.so.1.3.239 of Debian (libvulkan1 1.3.204.1-2)"},
		{"package", map[string]string{place + "libvulkan.so.1": "soname=x",
			"var/lib/dpkg/info/libvulkan1:amd64.list": "= " + place + "libvulkan.so.1\n", "var/lib/dpkg/status": status},
			"1.3.204", FromPackage, "libvulkan.so.1 of Debian (libvulkan1 1.3.204.1-2), version 1.3.204"},
		{"before /usr was merged", map[string]string{place + "libvulkan.so.1": "soname=x",
			"var/lib/dpkg/info/libvulkan1.list": "= /lib/x86_64-linux-gnu/libvulkan.so.1\n",
			"var/lib/dpkg/status":               "= Package: libvulkan1\nStatus: install ok installed\nArchitecture: i386\nVersion: 1.3.1\n"},
			"1.3.1", FromPackage, ""},
		{"apk", map[string]string{place + "libvulkan.so.1": "soname=x",
			"lib/apk/db/installed": "= P:musl\nV:1\nF:lib\nR:a\n\nP:vulkan-loader\nV:1.3.261.1-r0\nF:usr/lib/x86_64-linux-gnu\nR:libvulkan.so.1\n\n"},
			"1.3.261", FromPackage, ""},
		{"pacman", map[string]string{place + "libvulkan.so.1": "soname=x",
			"var/lib/pacman/local/vulkan-icd-loader-1:1.4.313-1/files": "= %FILES%\nusr/lib/x86_64-linux-gnu/libvulkan.so.1\n"},
			"1.4.313", FromPackage, "libvulkan.so.1 of Debian (vulkan-icd-loader 1:1.4.313-1), version 1.4.313"},
		{"text", map[string]string{place + "libvulkan.so.1": "texts=Vulkan%20Loader%20Version%201.3.290"}, "1.3.290", FromText,
			place + "libvulkan.so.1, version 1.3.290"},
		{"another package", map[string]string{place + "libvulkan.so.1": "soname=x",
			"lib/apk/db/installed": "= P:game\nV:2.0.1\nF:usr/lib/x86_64-linux-gnu\nR:libvulkan.so.1\n\n"}, "", "", "libvulkan.so.1 of Debian (game 2.0.1)"},
		{"nothing", map[string]string{place + "libvulkan.so.1": "soname=x"}, "", "", place + "libvulkan.so.1"},
		{"this project's", map[string]string{place + "libvulkan.so.1": "-> libvulkan.so.1.4.363", place + "libvulkan.so.1.4.363": "release=0.9.0"},
			"1.4.363", FromName, "libvulkan.so.1.4.363 of vkloader 0.9.0"},
	} {
		for name, text := range debian {
			c.files[name] = text
		}
		l := Identify(world(t, c.files), place+"libvulkan.so.1")
		if l.Version != c.version || l.From != c.from || !strings.Contains(l.Title(), c.says) {
			t.Errorf("%s: %q from %q: %q", c.name, l.Version, l.From, l.Title())
		}
	}
}

// The constants in a file come before the version. A version decides if it is outside the range between two known versions;
// inside the range, the result is unknown. This project's loader has every feature.
func TestHas(t *testing.T) {
	t.Parallel()
	allow, disable := variables.LayersAllow.Name(), variables.LayersDisable.Name()
	known := "texts=" + variables.ICDFilenames.Name() + "," + variables.InstanceLayers.Name() + ","
	for _, c := range []struct {
		file, words, feature string
		want                 Support
	}{
		{"libvulkan.so.1.2.162", "soname=x", disable, No},
		{"libvulkan.so.1.3.233", "soname=x", disable, No},
		{"libvulkan.so.1.3.234", "soname=x", disable, Yes},
		{"libvulkan.so.1.3.204", "soname=x", SettingsFile, No},
		{"libvulkan.so.1.3.250", "soname=x", SettingsFile, Unknown},
		{"libvulkan.so.1.4.309", "soname=x", SettingsFile, Yes},
		{"libvulkan.so.1.4.309", "soname=x", "additional_drivers", No},
		{"libvulkan.so.1.4.361", "soname=x", "additional_drivers", Yes},
		{"libvulkan.so.1.3.250", "soname=x", variables.DriverFiles.Name(), Yes},
		{"libvulkan.so.1.3.200", "soname=x", variables.DriverFiles.Name(), Unknown},
		{"libvulkan.so.1", "soname=x", disable, Unknown},
		{"libvulkan.so.1", "soname=x", variables.ServiceDirectory.Name(), No},
		{"libvulkan.so.1", "soname=x", "NO_SUCH_VARIABLE", Yes},
		{"libvulkan.so.1.3.250", known + allow, allow, Yes},
		{"libvulkan.so.1.4.309", known + disable, allow, No},
		{"libvulkan.so.1", known + disable, disable, Yes},
		{"libvulkan.so.1", known + "/vulkan/loader_settings.d/vk_loader_settings.json", SettingsFile, Yes},
		{"libvulkan.so.1.3.204", "release=0.9.0", settings.HardwareMember, Yes},
		{"libvulkan.so.1.4.400", "soname=x", settings.HardwareMember, No},
	} {
		l := Identify(world(t, map[string]string{place + c.file: c.words}), place+c.file)
		if got := l.Has(c.feature); got != c.want {
			t.Errorf("%s %s: %s: %d, want %d", c.file, c.words, c.feature, got, c.want)
		}
	}
}

// The table agrees with this machine's loader: the file contains the constants that its version should have.
func TestTableAgreesWithTheDistribution(t *testing.T) {
	t.Parallel()
	const file = place + "libvulkan.so.1"
	l := Identify(&machine.Machine{}, file)
	if l.Ours() || l.Version == "" || l.texts == nil {
		t.Skipf("%s is not a distribution's loader with a version: %+v", file, l)
	}
	byVersion := &Loader{Version: l.Version}
	for _, f := range Features() {
		if f.Mark() == "" || f.Ours {
			continue
		}
		if version := byVersion.Has(f.Name); version != Unknown && version != l.Has(f.Name) {
			t.Errorf("%s in %s: %d by the version, %d by the file", f.Name, l.Title(), version, l.Has(f.Name))
		}
	}
}

// The table is complete: it has every variable that only loaders read, each row has a source, and versions are in order.
func TestTable(t *testing.T) {
	t.Parallel()
	variables.Each(func(v variables.ID) {
		if strings.HasPrefix(v.Name(), "VK") && Named(v.Name()) == nil {
			t.Errorf("%s is in no row of internal/decide/loaders/features.txt", v.Name())
		}
	})
	seen := map[string]bool{}
	for _, f := range Features() {
		if f.Source == "" || seen[f.Name] || !f.Ours && f.With == "" {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
		for _, earlier := range []string{f.Without, f.Since} {
			if earlier != "" && binary.CompareVersions(earlier, f.With) >= 0 {
				t.Errorf("%s: %s is not before %s", f.Name, earlier, f.With)
			}
		}
		if f.Since != "" && f.Without != "" && binary.CompareVersions(f.Without, f.Since) >= 0 {
			t.Errorf("%s: lacking in %s, since %s", f.Name, f.Without, f.Since)
		}
	}
}

// A source returns the facts that the other loader reads. Variables that it does not know are unset. The settings file is
// missing, or the fields that it does not know have other names at the same positions.
func TestFactsOfAnotherLoader(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the made libraries are those of x86-64")
	}
	const file = "/etc/vulkan/loader_settings.d/vk_loader_settings.json"
	const content = `{"settings": {"layers": [], "device_configurations": [], "stderr_log": ["all"]}}`
	for version, want := range map[string]string{
		"1.3.239": "", "1.4.309": `{"settings": {"layers": [], "---------------------": [], "stderr_log": ["all"]}}`, "1.4.363": content,
	} {
		m := world(t, map[string]string{place + "libvulkan.so.1": "-> libvulkan.so." + version, place + "libvulkan.so." + version: "soname=libvulkan.so.1",
			file: "= " + content})
		m.Environ = []string{variables.LayersAllow.Name() + "=a", variables.DriversDisable.Name() + "=b"}
		source := &machine.Source{Machine: *m}
		if l := Decide(source); l == nil || l.Version != version {
			t.Fatalf("%s: %+v", version, l)
		}
		if got := source.File(file); got.Content != want || (got.Status == facts.FileNotOpened) != (want == "") || source.Exists(file) != (want != "") {
			t.Errorf("%s: %+v", version, got)
		}
		if set := source.Var(variables.LayersAllow.Name(), true).Set; set != (version != "1.3.239") {
			t.Errorf("%s: %v", version, set)
		}
		if !source.Var(variables.DriversDisable.Name(), true).Set || source.Loader.Obeys(variables.LayersAllow.Name()) != (version != "1.3.239") {
			t.Errorf("%s: %+v", version, source.Loader)
		}
	}
}

// docs/loaders.md equals the table.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/loaders.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Features() {
		if row := "| `" + f.Name + "` | " + f.Came(); !strings.Contains(string(page), row) {
			t.Errorf("docs/loaders.md has no %q: go generate ./internal/decide/loaders", row)
		}
	}
}
