package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// The directory of a file with a driver and a layer, such as AMD's amd-icd.json, decides which of the two the loader reads. Both are valid.
func TestOneFileForBoth(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	both := []byte(`{"file_format_version":"1.0.0","ICD":{"api_version":"1.3.0","library_path":"/usr/lib/libamd.so"},` +
		`"layer":{"name":"VK_LAYER_AMD_switch","type":"GLOBAL","library_path":"/usr/lib/libamd.so","api_version":"1.3.0",` +
		`"implementation_version":"1","description":"x","disable_environment":{"NO_AMD":"1"}}}`)
	library := ofWords("soname=libamd.so", "exports=vk_icdGetInstanceProcAddr,vkGetInstanceProcAddr")
	if err := put(filepath.Join(root, "usr/lib/libamd.so"), library); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{"usr/share/vulkan/icd.d": "driver manifest", "usr/share/vulkan/implicit_layer.d": "manifest of implicit layers",
		"usr/share/vulkan/explicit_layer.d": "manifest of explicit layers"} {
		if err := put(filepath.Join(root, place, "amd.json"), both); err != nil {
			t.Fatal(err)
		}
		for _, options := range [][]string{nil, {"--kind", map[string]string{"driver manifest": "driver", "manifest of implicit layers": "implicit-layer",
			"manifest of explicit layers": "explicit-layer"}[want]}} {
			out, code := execute(t, slices.Concat([]string{"--root", root, "validate"}, options, []string{"/" + place + "/amd.json"})...)
			if code != 0 || !strings.Contains(out, want+", the loader accepts it") || strings.Contains(out, "problem") || strings.Contains(out, "warning") {
				t.Errorf("%s, %q: exit code %d: %s", place, options, code, out)
			}
		}
	}
	out, code := execute(t, "--root", root, "list", "drivers")
	layers, codeLayers := execute(t, "--root", root, "list", "layers")
	if code != 0 || codeLayers != 0 || !strings.Contains(out, "used   amd.json") || !strings.Contains(layers, "used      VK_LAYER_AMD_switch") {
		t.Errorf("%d %s%d %s", code, out, codeLayers, layers)
	}
}

// A settings file that names a device of a driver before its update hides the devices of every driver. doctor reports it first, as the only
// problem; the other failures follow from it.
func TestSettingsThatHideDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for i, name := range []string{"one", "two"} {
		f := w.Driver(name, fmt.Sprintf("device name=%s type=discrete uuid=%d driver_uuid=%d", name, i+1, i+1))
		w.Write("home/.local/share/vulkan/icd.d/"+name+".json", fmt.Sprintf(`{"file_format_version":"1.0.0","ICD":{"library_path":%q,"api_version":"1.3.0"}}`, f.Library))
	}
	w.Env["XDG_DATA_DIRS"], w.Env["XDG_CONFIG_DIRS"] = w.Path("share"), w.Path("etc")
	nothing := strings.TrimSuffix(strings.Repeat("9,", 16), ",")
	w.Env["HOME"] = w.Path("home")
	w.Write("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", fmt.Sprintf(`{"file_format_version":"1.0.0","settings":{"device_configurations":`+
		`[{"deviceUUID":[%[1]s],"driverUUID":[%[1]s],"driverVersion":5,"deviceName":"before the update"}]}}`, nothing))
	out, exit := w.Run(time.Minute, tool, "doctor", "--json")
	var report struct {
		Findings []struct{ Code, Severity, Subject, Path, Because, What, Do string }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || exit.Code != 1 {
		t.Fatalf("exit code %d, %v: %s", exit.Code, err, out)
	}
	var problems []string
	for _, f := range report.Findings {
		if f.Severity == "problem" && f.Because == "" {
			problems = append(problems, f.Code+" "+f.Subject)
		}
		if (f.Code == "driver-fails" || f.Code == "driver-no-device") && f.Because != "settings-hide" {
			t.Errorf("%+v", f)
		}
	}
	if !slices.Equal(problems, []string{"settings-hide vk_loader_settings.json"}) {
		t.Errorf("problems: %q\n%s", problems, out)
	}
	if screen, exit := w.Run(time.Minute, tool); exit.Code != 1 || !strings.Contains(screen, "vk_loader_settings.json: ") || strings.Contains(screen, "Broken: one.json") ||
		strings.Contains(screen, "Update, reinstall") {
		t.Errorf("exit code %d: %s", exit.Code, screen)
	}
}

// situation is a reported situation, rebuilt as a machine, with the expectations about the tool's first screen.
type situation struct {
	archive     string
	run         []string // the tool's arguments; nil: none
	says, lacks []string
	code        int
	do          string // the printed fix that is followed; "": none is printed, or it is words
	then        []string
	after       int    // the exit code after the fix
	next        string // the fix that is printed then, and followed; "": none
	finally     []string
}

// readSituation reads the expectations in the comment of an archive:
//
//	# run: WORDS       the tool's arguments
//	# says: TEXT       the output has the text, in any line breaks
//	# lacks: TEXT      the output does not have it
//	# exit: CODE       the exit code
//	# do: TEXT         the whole text of a printed fix, which the test follows. If others make its changes (a package's files, the host's
//	                   part), they are the archive's changes
//	# then: TEXT       the output after the fix; without "# do", after the archive's changes
//	# after: CODE      the exit code after the fix
//	# next: TEXT       the whole text of the fix that is printed then. The test follows it, and the exit code is 0
//	# finally: TEXT    the output after that fix
func readSituation(t *testing.T, archive string) situation {
	t.Helper()
	s := situation{archive: archive}
	text, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\n-- ")
	for _, line := range strings.Split(comment, "\n") {
		line = strings.TrimPrefix(line, "# ")
		switch word, rest, _ := strings.Cut(line, ": "); word {
		case "run":
			s.run = strings.Fields(rest)
		case "says":
			s.says = append(s.says, rest)
		case "lacks":
			s.lacks = append(s.lacks, rest)
		case "do":
			s.do = rest
		case "then":
			s.then = append(s.then, rest)
		case "next":
			s.next = rest
		case "finally":
			s.finally = append(s.finally, rest)
		case "exit", "after":
			into := &s.code
			if word == "after" {
				into = &s.after
			}
			if _, err := fmt.Sscan(rest, into); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(s.says) == 0 {
		t.Fatalf("%s expects nothing", archive)
	}
	return s
}

// squeezed returns a text in which every run of white space is one space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// look runs the tool on the situation's machine.
func (s *situation) look(t *testing.T, p *patient, words ...string) (out string, code int) {
	t.Helper()
	options := []string{"--root", p.root}
	for _, variable := range p.env {
		options = append(options, "--env", variable)
	}
	return execute(t, slices.Concat(options, s.run, words)...)
}

// follow follows a printed fix on the situation's machine.
func (s *situation) follow(t *testing.T, p *patient, do string) {
	t.Helper()
	if at := slices.Index(s.run, "--user"); at >= 0 {
		p.user = s.run[at+1]
	}
	found, err := p.report()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found, func(f symptom) bool { return f.Because == "" && f.Do == do })
	if at < 0 {
		t.Fatalf("no finding has this fix: %s", do)
	}
	how, err := p.follow(&found[at])
	if err != nil {
		t.Fatal(err)
	}
	if how == elsewhere && found[at].Untried == "" {
		t.Error("nobody has tried the fix, and it does not say so")
	}
}

// fixed follows the printed fix of the situation.
func (s *situation) fixed(t *testing.T, p *patient) {
	t.Helper()
	if s.do != "" {
		s.follow(t, p, s.do)
	}
	m, err := change(s.archive, p.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range m.env {
		name, value, _ := strings.Cut(pair, "=")
		p.with(name, value)
	}
}

// seen compares the output after a fix with the expected texts and exit code.
func (s *situation) seen(t *testing.T, p *patient, texts []string, want int) {
	t.Helper()
	out, code := s.look(t, p)
	for _, text := range texts {
		if !strings.Contains(squeezed(out), text) {
			t.Errorf("after the fix: no %q", text)
		}
	}
	if s.do != "" && strings.Contains(squeezed(out), squeezed(s.do)) {
		t.Error("after the fix: the same fix again")
	}
	if code != want {
		t.Errorf("after the fix: exit code %d, not %d", code, want)
	}
	if t.Failed() {
		t.Log(out)
	}
}

// The first screen names the cause of each reported situation with its fix, and has the right exit code. After the fix, followed exactly
// as printed, the situation has ended.
func TestSituations(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/situations/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := readSituation(t, archive)
			root := t.TempDir()
			m, err := build(archive, root)
			if errors.Is(err, fs.ErrPermission) {
				t.Skip("only root gives a file to another user: ", err)
			} else if err != nil {
				t.Fatal(err)
			}
			p := &patient{root: root, env: slices.Clone(m.env)}
			out, code := s.look(t, p)
			for _, want := range s.says {
				if !strings.Contains(squeezed(out), want) {
					t.Errorf("no %q", want)
				}
			}
			for _, not := range s.lacks {
				if strings.Contains(squeezed(out), not) {
					t.Errorf("%q", not)
				}
			}
			if code != s.code {
				t.Errorf("exit code %d, not %d", code, s.code)
			}
			if t.Failed() {
				t.Log(out)
			}
			words := func(text string) string { // a command ends its line without a period
				return strings.TrimSpace(strings.ReplaceAll(squeezed(text)+" ", ". ", " "))
			}
			if s.do != "" && !strings.Contains(words(out), words(s.do)) {
				t.Errorf("the first screen lacks the fix %q", s.do)
			}
			if s.do == "" && s.then == nil {
				return
			}
			s.fixed(t, p)
			s.seen(t, p, s.then, s.after)
			if s.next != "" {
				s.follow(t, p, s.next)
				s.seen(t, p, s.finally, 0)
			}
		})
	}
}

// explain finds a line of a driver's standard error in the driver's library. It names the driver, and says that the line is harmless if the
// driver has no device.
func TestMessageOfADriver(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if _, err := build("testdata/machines/healthy-64.txtar", root); err != nil {
		t.Fatal(err)
	}
	library := ofWords("soname=libvulkan_nouveau.so", "exports=vk_icdGetInstanceProcAddr", "texts=NVK%20requires%20nouveau")
	manifest := []byte(`{"file_format_version":"1.0.0","ICD":{"api_version":"1.4.303","library_path":"/usr/lib/x86_64-linux-gnu/libvulkan_nouveau.so"}}`)
	for name, data := range map[string][]byte{"usr/lib/x86_64-linux-gnu/libvulkan_nouveau.so": library, "usr/share/vulkan/icd.d/nouveau_icd.x86_64.json": manifest} {
		if err := put(filepath.Join(root, name), data); err != nil {
			t.Fatal(err)
		}
	}
	for _, message := range []string{"NVK requires nouveau", "WARNING: NVK requires nouveau"} {
		out, code := execute(t, "--root", root, "explain", message)
		if code != 0 || !strings.Contains(out, "nouveau_icd.x86_64.json") || !strings.Contains(out, "harmless") || strings.Contains(out, "radeon_icd") {
			t.Errorf("%q: exit code %d: %s", message, code, out)
		}
	}
	if out, code := execute(t, "--root", root, "explain", "no driver writes this"); code != 1 {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A word that is only a part of a manifest's path, or of a word in a driver's name, is a program's name. A driver's whole name takes precedence.
func TestWordThatIsAProgramToo(t *testing.T) {
	t.Parallel()
	for driver, named := range map[string]bool{"fresh": false, "sh": true, "sh_icd.x86_64": true} {
		w := world.New(t)
		w.Driver(driver)
		w.Write("share/sh/none", "")
		for _, words := range [][]string{{"sh"}, {"explain", "sh"}} {
			out, exit := w.Run(time.Minute, tool, words...)
			if exit.Code != 0 || strings.Contains(out, "/sh:") == named || !strings.Contains(out, driver+".json") {
				t.Errorf("%s, %q: exit code %d: %s%s", driver, words, exit.Code, out, exit.Stderr)
			}
		}
	}
	root := t.TempDir()
	if _, err := build("testdata/situations/bases/amd.txtar", root); err != nil {
		t.Fatal(err)
	}
	if out, code := execute(t, "--root", root, "explain", "sh"); code != 1 || strings.Contains(out, "radeon") {
		t.Errorf("a part of the path /usr/share: exit code %d: %s", code, out)
	}
}
