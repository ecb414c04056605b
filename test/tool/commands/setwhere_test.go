package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// doctor names the line that sets a variable: in files of sessions, shells, service managers, desktops and launchers.
func TestLineThatSetsAVariable(t *testing.T) {
	t.Parallel()
	const variable = "VK_LOADER_DRIVERS_DISABLE"
	for file, text := range map[string]string{
		"etc/environment":                                               "# all\n" + variable + "=radeon*\n",
		"etc/environment.d/90-gpu.conf":                                 "\n" + variable + "=radeon*\n",
		"home/mia/.profile":                                             "umask 022\nexport " + variable + "='radeon*'\n",
		"etc/X11/Xsession.d/90-gpu":                                     "\nexport " + variable + "=radeon*\n",
		"etc/zsh/zprofile":                                              "\nexport " + variable + "=radeon*\n",
		"home/mia/.config/hypr/hyprland.conf":                           "monitor = ,preferred,auto,1\nenv = " + variable + ",radeon*\n",
		"etc/systemd/user.conf":                                         "[Manager]\nDefaultEnvironment=\"A=1\" \"" + variable + "=radeon*\"\n",
		"etc/systemd/user.conf.d/gpu.conf":                              "[Manager]\nDefaultEnvironment=" + variable + "=radeon*\n",
		"home/mia/.local/share/applications/b.desktop":                  "[Desktop Entry]\nExec=env " + variable + "=radeon* blender %f\n",
		"usr/share/applications/b.desktop":                              "[Desktop Entry]\nExec=/usr/bin/env -u B " + variable + "=radeon* blender\n",
		"home/mia/.local/share/Steam/userdata/1/config/localconfig.vdf": "{\n\t\"LaunchOptions\"\t\t\"" + variable + "=radeon* %command%\"\n}\n",
	} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if _, err := build("testdata/situations/bases/amd.txtar", root); err != nil {
				t.Fatal(err)
			}
			if err := put(filepath.Join(root, file), []byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := put(filepath.Join(root, "usr/share/applications/other.desktop"), []byte("[Desktop Entry]\nComment=about "+variable+"\nX="+variable+"2=x\n")); err != nil {
				t.Fatal(err)
			}
			out, _ := execute(t, "--root", root, "--env", "HOME=/home/mia", "--env", variable+"=radeon*", "doctor")
			if want := "Remove " + variable + " from /" + file + ", line 2. Until then: unset " + variable; !strings.Contains(squeezed(out), want) {
				t.Errorf("no %q:\n%s", want, out)
			}
		})
	}
}

// A variable that a parent of the tool sets is found there: in the line of its script, with the command's name.
func TestVariableOfAParent(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=one type=discrete")
	script := w.Write("panel.sh", "#!/bin/sh\nexport VK_LOADER_DRIVERS_DISABLE='*'\n\"$@\"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	out, exit := w.Run(time.Minute, script, filepath.Join(built, "vkloader"), "doctor")
	if want := "VK_LOADER_DRIVERS_DISABLE is set in " + script + ", line 2"; exit.Code != 1 || !strings.Contains(squeezed(out), want) {
		t.Errorf("exit code %d, no %q: %s", exit.Code, want, out)
	}
}

// A script that --app names is examined with the variables that it sets, and the fix is in the script.
func TestVariableOfAScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		line int
	}{
		{"export VK_ICD_FILENAMES=/gone.json\nexec \"$@\"\n", 2},
		{"set -e\nVK_ICD_FILENAMES=/gone.json \"$@\"\n", 3},
		{"set -e\n\nexec env VK_ICD_FILENAMES=/gone.json vkcube\n", 4},
	} {
		root := t.TempDir()
		if _, err := build("testdata/situations/bases/amd.txtar", root); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"home/mia/bin/prime-run": "#!/bin/sh\n" + c.text, "usr/bin/vkcube": "x"} {
			if err := put(filepath.Join(root, name), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		for _, app := range []string{"/home/mia/bin/prime-run", "prime-run"} {
			out, code := execute(t, "--root", root, "--env", "HOME=/home/mia", "--env", "PATH=/usr/bin:/home/mia/bin", "doctor", "--app", app)
			want := fmt.Sprintf("VK_ICD_FILENAMES is set in /home/mia/bin/prime-run, line %d. Remove VK_ICD_FILENAMES from the script", c.line)
			if code != 1 || !strings.Contains(squeezed(out), want) || strings.Contains(out, "unset VK_ICD") {
				t.Errorf("exit code %d, no %q:\n%s", code, want, out)
			}
		}
	}
}

// A script that replaces itself by the tool is found by the name that a shell gives to its commands.
func TestVariableOfAReplacedScript(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=one type=discrete")
	script := w.Write("prime-run", "#!/bin/sh\nexport VK_LOADER_DRIVERS_DISABLE='*'\nexec \"$@\"\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	out, exit := w.Run(time.Minute, "bash", "-c", `"$@"; exit $?`, "bash", script, filepath.Join(built, "vkloader"), "doctor")
	if want := "VK_LOADER_DRIVERS_DISABLE is set in " + script + ", line 2"; exit.Code != 1 || !strings.Contains(squeezed(out), want) {
		t.Errorf("exit code %d, no %q: %s", exit.Code, want, out)
	}
}

// The ID of an installed Flatpak stands for its process: its sandbox has drivers of its own.
func TestFlatpakThatDoesNotRun(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Write(".local/share/flatpak/app/org.a.B/current", "")
	out, exit := w.Run(time.Minute, "sh", "-c", `HOME=$1 exec "$2" explain --app org.a.B 2>&1`, "sh", w.Root, filepath.Join(built, "vkloader"))
	if !strings.Contains(squeezed(out), "no process of the Flatpak org.a.B") || exit.Code == 0 {
		t.Errorf("exit code %d: %s", exit.Code, out)
	}
}

// A script in the user's directory that would set the variable to the same value is not named where the shell itself has set it.
func TestVariableOfTheShellAndNotOfAScript(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=one type=discrete")
	w.Write("home/bin/software", "#!/bin/sh\nexport VK_LOADER_DRIVERS_DISABLE='*'\nexec \"$@\"\n")
	w.Env["HOME"] = w.Path("home")
	out, exit := w.Run(time.Minute, "bash", "-c", `export VK_LOADER_DRIVERS_DISABLE='*'; "$@"; exit $?`, "bash", filepath.Join(built, "vkloader"), "doctor")
	if exit.Code != 1 || strings.Contains(out, "software, line") || !strings.Contains(out, "unset VK_LOADER_DRIVERS_DISABLE") {
		t.Errorf("exit code %d: %s", exit.Code, out)
	}
}
