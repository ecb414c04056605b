package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// commandsIn collects the texts of every member "commands" in a JSON value.
func commandsIn(value any) (list []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, part := range value {
			if texts, is := part.([]any); is && name == "commands" {
				for _, text := range texts {
					if text, is := text.(string); is {
						list = append(list, text)
					}
				}
			}
			list = append(list, commandsIn(part)...)
		}
	case []any:
		for _, part := range value {
			list = append(list, commandsIn(part)...)
		}
	}
	return list
}

// The commands in the JSON output about manifests with hostile names execute no part of the names, in any shell.
func TestCommandsOfHostileNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	const canary = "touch canary"
	names := []string{"a';" + canary + ";'.json", "$(" + canary + ").json", "`" + canary + "`.json", "a\x1b\\';" + canary + " #.json", "a\n" + canary + "\n.json",
		"\x01$'\\'; " + canary + " #'.json", "-n;" + canary + ".json", "a\";" + canary + ";\".json", "&&" + canary + ".json", "a\\\n';" + canary + " '\x02.json", "\u3164';" + canary + " #.json"}
	home := ""
	for _, name := range names {
		for _, directory := range []string{"icd.d", "implicit_layer.d"} {
			text := `{"file_format_version": "1.0.0", "ICD": {"library_path": "./` + "lib.so" + `", "api_version": "1.3.0"}}`
			if directory != "icd.d" {
				quoted, _ := json.Marshal("VK_LAYER_" + strings.TrimSuffix(name, ".json"))
				text = `{"file_format_version": "1.0.0", "layer": {"name": ` + string(quoted) + `, "type": "GLOBAL", "library_path": "./lib.so", "api_version": "1.3.0",
					"implementation_version": "1", "description": "d", "disable_environment": {"D": "1"}}}`
			}
			home = filepath.Dir(filepath.Dir(filepath.Dir(w.Write("home/vulkan/"+directory+"/"+name, text))))
		}
	}
	w.Env["XDG_DATA_HOME"] = home
	var shells []string
	for _, shell := range []string{"sh", "bash", "zsh", "busybox"} {
		if path, err := exec.LookPath(shell); err == nil {
			shells = append(shells, path)
		}
	}
	touch, err := exec.LookPath("touch")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, line := range []string{"explain --json", "doctor --json", "list layers --json", "list drivers --json"} {
		out, exit := w.Run(2*time.Minute, filepath.Join(built, "vkloader"), strings.Fields(line)...)
		var value any
		if err := json.Unmarshal([]byte(out), &value); err != nil {
			t.Fatalf("%s: %v, %s", line, err, exit.Stderr)
		}
		for _, command := range commandsIn(value) {
			found++
			for _, shell := range shells {
				at := t.TempDir()
				if err := os.Symlink(touch, filepath.Join(at, "touch")); err != nil { // the only program that the shell finds
					t.Fatal(err)
				}
				args := []string{"-c", command}
				if filepath.Base(shell) == "busybox" {
					args = append([]string{"sh"}, args...)
				}
				cmd := exec.Command(shell, args...)
				cmd.Dir, cmd.Env = at, []string{"PATH=" + at, "HOME=" + at}
				_ = cmd.Run() // other programs are not found
				if _, err := os.Stat(filepath.Join(at, "canary")); err == nil {
					t.Errorf("%s: %s runs a part of a name: %q", line, shell, command)
				}
			}
		}
	}
	if found < len(names) {
		t.Errorf("%d commands", found)
	}
}
