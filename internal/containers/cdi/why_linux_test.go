package cdi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
)

// On a host, "cdi why" speaks of no container. Each mark of a container manager makes it one.
func TestWhyOnAHost(t *testing.T) {
	t.Parallel()
	for title, about := range map[string]struct {
		file, text, variable string
		state                string
	}{
		"a host":          {"etc/hostname", "x", "HOME=/root", NoContainer},
		"podman":          {"run/.containerenv", "", "", NotGiven},
		"docker":          {".dockerenv", "", "", NotGiven},
		"systemd-nspawn":  {"run/systemd/container", "systemd-nspawn", "", NotGiven},
		"lxc":             {"proc/1/environ", "TERM=linux\x00container=lxc\x00", "", NotGiven},
		"a host's init":   {"proc/1/environ", "TERM=linux\x00incontainer=lxc\x00", "", NoContainer},
		"a variable":      {"etc/hostname", "x", "container=oci", NotGiven},
		"a pod":           {"etc/hostname", "x", "KUBERNETES_SERVICE_HOST=10.0.0.1", NotGiven},
		"an empty mount":  {"run/vkloader/.keep", "", "", NoHook},
		"the hook's mark": {"run/vkloader/why.json", `{"schema":1}`, "", Arranged},
	} {
		root := t.TempDir()
		file := filepath.Join(root, about.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(about.text), 0o644); err != nil {
			t.Fatal(err)
		}
		w := Explain(&machine.Machine{Root: root, Environ: []string{about.variable}}, true)
		if w.State != about.state || strings.Contains(w.Sentence(), "this container") != (about.state != NoContainer) {
			t.Errorf("%s: %s: %s", title, w.State, w.Sentence())
		}
		if about.state == NoContainer && (len(w.Drivers) > 0 || w.Bad()) {
			t.Errorf("%s: %+v", title, w)
		}
	}
}
