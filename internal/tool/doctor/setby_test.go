package doctor

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/test/lib/tree"
)

// startedIn returns the line of a starter's file that sets VK_DRIVER_FILES to a value.
func startedIn(t *testing.T, files map[string]string, value string) string {
	t.Helper()
	root := t.TempDir()
	tree.Lay(t, root, files)
	h := host{&machine.Machine{Root: root, Environ: []string{"HOME=/home/mia", variables.DriverFiles.Name() + "=" + value}}}
	if at := h.startedBy(variables.DriverFiles.Name(), h.starters()); at.File != "" {
		return at.String()
	}
	return ""
}

// Many files of one starter hide no line of another.
func TestManyStarters(t *testing.T) {
	t.Parallel()
	const steam = "home/mia/.local/share/Steam/userdata/1/config/localconfig.vdf"
	for _, directory := range []string{"home/mia/.config/lutris/games/%d.yml", "home/mia/.config/heroic/GamesConfig/%d.json", "usr/share/applications/%d.desktop",
		"home/mia/.local/share/bottles/bottles/%d/bottle.yml"} {
		files := file(steam, "\"LaunchOptions\"\t\t\"VK_DRIVER_FILES=/old %command%\"\n")
		for i := range 520 {
			files[fmt.Sprintf(directory, i)] = "x: y\n"
		}
		if at := startedIn(t, files, "/old"); at != "/"+steam+", line 1" {
			t.Errorf("%s: %q", directory, at)
		}
	}
}

// A line sets a variable if it is no comment and has the value in force.
func TestStarterValue(t *testing.T) {
	t.Parallel()
	const lutris, heroic, steam = "home/mia/.config/lutris/games/a.yml", "home/mia/.config/heroic/GamesConfig/a.json",
		"home/mia/.local/share/Steam/userdata/1/config/localconfig.vdf"
	for _, c := range []struct {
		place, text string
		is          bool
	}{
		{lutris, "  # VK_DRIVER_FILES=/old", false},
		{lutris, "  #VK_DRIVER_FILES: /old", false},
		{lutris, "  // VK_DRIVER_FILES=/old", false},
		{lutris, "  ; VK_DRIVER_FILES=/old", false},
		{lutris, "a: b # VK_DRIVER_FILES=/old", false},
		{lutris, "  VK_DRIVER_FILES: /new # /old", false},
		{lutris, "  VK_DRIVER_FILES: /old # of the game", true},
		{lutris, "  VK_DRIVER_FILES: /new\n  OTHER: /old", false},
		{lutris, "  VK_DRIVER_FILES: /older", false},
		{lutris, "  VK_DRIVER_FILES: /very/old", false},
		{lutris, "  VK_DRIVER_FILES: /old", true},
		{lutris, "  VK_DRIVER_FILES: '/old'", true},
		{lutris, "  command: env VK_DRIVER_FILES=/new", false},
		{lutris, "  command: env VK_DRIVER_FILES=/older", false},
		{lutris, "  command: env VK_DRIVER_FILES=/old x", true},
		{lutris, "  command: env VK_DRIVER_FILES='/old' x", true},
		{heroic, "\"key\": \"VK_DRIVER_FILES\",\n\"value\": \"/new\"", false},
		{heroic, "\"key\": \"VK_DRIVER_FILES\",\n\"value\": \"/old\"", true},
		{steam, `"LaunchOptions" "VK_DRIVER_FILES=/new %command%"`, false},
		{steam, `"LaunchOptions" "VK_DRIVER_FILES=\"/old\" %command%"`, true},
		{steam, `"LaunchOptions" "VK_DRIVER_FILES=$HOME/old %command%"`, true},
	} {
		if at := startedIn(t, file(c.place, c.text+"\n"), "/old"); (at == "/"+c.place+", line 1") != c.is {
			t.Errorf("%q: %q", c.text, at)
		}
	}
	if startedIn(t, file(steam, `"LaunchOptions" "VK_DRIVER_FILES='/my games/a.json' %command%"`), "/my games/a.json") == "" {
		t.Error("no line for a value with a space")
	}
}

// The line for an EnvironmentFile has no doubled signs of specifiers, and tells a service of the system from one of the user.
func TestEnvironmentFileLine(t *testing.T) {
	t.Parallel()
	change := explain.SetVariable("A", `/50%/"x"`)
	for _, c := range []struct {
		ofUser  bool
		control string
	}{{false, ". Run as root: systemctl restart render"}, {true, ", then: systemctl --user restart render"}} {
		u := unit{Unit: process.Unit{Name: "render.service", OfUser: c.ofUser}, directory: "/etc/systemd/system", files: map[string]FileLine{"A": {"/etc/default/render", 2}}}
		do := u.setting(change)
		if want := `Write A="/50%/\"x\"" into /etc/default/render, line 2` + c.control; do.text != want {
			t.Errorf("%s, want %s", do.text, want)
		}
		do = u.setting(change.With(explain.SetVariable("B", "1").With(explain.UnsetVariable("C"))))
		for _, want := range []string{`Write A="/50%/\"x\"" into /etc/default/render, line 2` + c.control[:2], ` 'Environment="B=1"' UnsetEnvironment=C > `} {
			if !strings.Contains(do.text, want) {
				t.Errorf("%s: no %s", do.text, want)
			}
		}
		if strings.Contains(string(do.lines[0]), "A=") {
			t.Errorf("the drop-in has A, which the file overrules: %s", do.lines[0])
		}
		u.files["B"] = FileLine{"/etc/default/more", 1}
		do = u.setting(change.With(explain.SetVariable("B", "1")))
		if want := ` into /etc/default/render, line 2, and B="1" into /etc/default/more, line 1` + c.control; !strings.HasSuffix(do.text, want) {
			t.Errorf("%s, want %s", do.text, want)
		}
		u.files = nil
		if do = u.setting(change); !strings.Contains(do.text, "/50%%/") {
			t.Error(do.text)
		}
	}
}

// The line of a shell, of PAM or of systemd that sets a variable is found, with any options.
func TestLinesThatSetAVariable(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{"export VK_X=1": true, "  VK_X=1": true, "VK_X DEFAULT=1": true, "set -gx VK_X 1": true, "set --export --global VK_X 1": true,
		"SETUVAR --export VK_X:1": true, "setenv VK_X 1": true, "declare -x VK_X=1": true, "typeset -gx VK_X=1": true,
		"": false, "export": false, "# VK_X=1": false, "VK_XY=1": false, "echo VK_X=1": false, "unset VK_X": false, "set -e VK_X": false} {
		if is := setsVariable(line, "VK_X"); is != want {
			t.Errorf("%q: %t", line, is)
		}
	}
}
