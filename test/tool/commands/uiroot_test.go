package commands

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// Root's page runs beside another user's program with its own loader, and beside that user's drivers. It loads neither, and a button's answer
// names the user. When root owns the same files, it loads them.
func TestUIRootBesideOthers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	s := newUI(t, "VK_LAYER_a")
	library, manifest, mark := s.hostile("evil", false)
	directory := filepath.Dir(manifest)
	program := filepath.Join(directory, "game")
	if err := os.Link(library, filepath.Join(directory, "libvulkan.so.1")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-x", "c", "-o", program, "-", "-Wl,--no-as-needed,--disable-new-dtags,-rpath,"+directory, "-L"+directory, "-l:libvulkan.so.1")
	cmd.Stdin = strings.NewReader("int main(void) { return 0; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	giveAway(t, directory, library, manifest, program)
	s.root = true
	s.serve()
	variable := "VK_DRIVER_FILES=" + manifest
	refused := false
	for _, values := range []url.Values{{"app": {program}, "loader": {url.QueryEscape(filepath.Join(directory, "libvulkan.so.1"))}}, {"env": {variable}}, {"app": {program}, "env": {variable}}} {
		entered := variables(values["env"]...)
		for _, page := range []string{"/start/picture", "/start/try", "/start/export", "/start/item"} {
			_, text, _ := s.ask(http.MethodPost, page, values, entered)
			refused = refused || strings.Contains(text, "as root") && strings.Contains(text, "user "+another)
		}
		s.ask(http.MethodGet, "/page/program"+program, nil)
		s.ask(http.MethodGet, "/page/overview", nil)
	}
	if text := s.read(mark); text != "" {
		t.Errorf("root has loaded the file of another user: %s", text)
	}
	if !refused {
		t.Error("no button says why nothing was tried")
	}
	for _, name := range []string{directory, library, manifest, program} {
		if err := os.Chown(name, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	s.ask(http.MethodPost, "/start/picture", url.Values{}, variables(variable))
	if s.read(mark) == "" {
		t.Error("the control: root's own file is not loaded either")
	}
}

// A process with capabilities, though not of root, also loads no file that another user can change.
func TestCapabilitiesLoadNothingOfOthers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	for _, capability := range []string{"dac_override", "setuid", "sys_ptrace"} {
		w := world.New(t)
		d := w.Driver("acme", "log_load", "device name=big type=discrete")
		for directory := filepath.Dir(d.ManifestPath); directory != "/" && directory != os.TempDir(); directory = filepath.Dir(directory) {
			if err := os.Chmod(directory, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		tool := filepath.Join(readable(t), "vkloader")
		as := func(words ...string) (string, int) {
			args := append([]string{"--reuid=4243", "--regid=4243", "--clear-groups", "--inh-caps=+" + capability, "--ambient-caps=+" + capability,
				"env", "-C", "/", "-u", "LD_LIBRARY_PATH", "-u", "LD_PRELOAD"}, words...) // this user may not be allowed to read the checkout
			out, exit := w.Run(time.Minute, "setpriv", args...)
			return out + exit.Stderr, exit.Code
		}
		giveAway(t, d.Library)
		for _, command := range []string{"list devices --details", "list devices", "doctor", "run /bin/true"} {
			if said, _ := as(append([]string{tool}, strings.Fields(command)...)...); !strings.Contains(said, "user "+another+" can change "+d.Library) {
				t.Errorf("%s, %s:\n%s", capability, command, said)
			}
		}
		if calls := w.Log(); len(calls) != 0 {
			t.Errorf("%s: loaded: %v", capability, calls)
		}
	}
}
