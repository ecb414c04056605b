package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// shells are the shells that read the tool's lines.
var shells = [][]string{{"dash"}, {"bash", "--norc", "-o", "history", "-o", "histexpand"}, {"zsh", "-f"}, {"busybox", "sh"}, {"fish", "--no-config"}}

// hostileNames returns names without a comma, which separates the entries of filters, and with what shells read in special ways. Parts of
// them would make a file PWN.
func hostileNames(seed uint64, many int) (names []string) {
	random := rand.New(rand.NewPCG(seed, 57))
	parts := []string{"'", `\`, `\'`, `';touch PWN;#`, "`touch PWN`", "$(touch PWN)", "$(touch${IFS}PWN)", "\";touch PWN;\"", "\n", "\x01", "\x1b[2J", "\u202e", "\u3164", "\\\n", "!", "!x",
		"%self", "{a..b}", "*", "?", "~", "=", "^", "&&touch PWN&&", "|", ">PWN", " ", "\t", "#", "-", "é", "日", "a", "VK_", "1", ".", "(", ")"}
	seen := map[string]bool{}
	for len(names) < many {
		name := ""
		for range 1 + random.IntN(6) {
			name += parts[random.IntN(len(parts))]
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// hostileRoot lays out a machine with layers and drivers of the names.
func hostileRoot(t *testing.T, names []string) (root string) {
	t.Helper()
	root = t.TempDir()
	for i, name := range names {
		text, err := json.Marshal("VK_LAYER_z" + name)
		if err != nil {
			t.Fatal(err)
		}
		for place, content := range map[string]string{
			"implicit_layer.d": `"layer": {"name": ` + string(text) + `, "type": "GLOBAL", "library_path": "./lib.so", "api_version": "1.3.0", ` +
				`"implementation_version": "1", "description": "d", "disable_environment": {"D": "1"}}`,
			"icd.d": `"ICD": {"library_path": "./lib.so", "api_version": "1.3.0"}`,
		} {
			if err := put(filepath.Join(root, "usr/share/vulkan", place, fmt.Sprintf("%04d%s.json", i, name)), []byte(`{"file_format_version": "1.0.0", `+content+`}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// valuesIn has a shell run lines, each of which exports a variable, and returns the value after each line.
func valuesIn(t *testing.T, shell []string, lines []string) (values []string) {
	t.Helper()
	at := t.TempDir()
	path, err := exec.LookPath(shell[0])
	touch, missing := exec.LookPath("touch")
	if err != nil || missing != nil {
		t.Fatal(err, missing)
	}
	if err := os.Symlink(touch, filepath.Join(at, "touch")); err != nil { // the only program that the shell finds
		t.Fatal(err)
	}
	var script strings.Builder
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		fmt.Fprintf(&script, "%s\nprintf '<%%s>\\0' \"$%s\"\n", line, name)
	}
	if err := os.WriteFile(filepath.Join(at, "script"), []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(slices.Clone(shell[1:]), "script")...)
	cmd.Dir, cmd.Env = at, []string{"PATH=" + at, "HOME=" + at, "LC_ALL=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", shell[0], err)
	}
	if _, err := os.Stat(filepath.Join(at, "PWN")); err == nil {
		t.Errorf("%s runs a part of a name", shell[0])
	}
	for value := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		values = append(values, strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">"))
	}
	return values
}

// The commands of the JSON output and the printed lines about thousands of random names execute no part of the names, in any shell, and
// the shell reads each name as it is.
func TestCommandsOfHostileNames(t *testing.T) {
	t.Parallel()
	const parts, many = 40, 30
	names := hostileNames(1, parts*many)
	var wants, fromJSON, printed []string
	for part := range parts {
		some := names[part*many : (part+1)*many]
		root := hostileRoot(t, some)
		out, _ := runBuilt(t, "--root", root, "--env", "HOME=/home/mia", "explain", "--json")
		var value any
		if err := json.Unmarshal([]byte(out), &value); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, line := range commandsIn(value) {
			if strings.HasPrefix(line, "export VK_LOADER_DRIVERS_DISABLE=") {
				fromJSON = append(fromJSON, line)
			}
		}
		out, _ = runBuilt(t, "--root", root, "--env", "HOME=/home/mia", "explain")
		for line := range strings.Lines(out) {
			if line, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "      off with VK_LOADER_DRIVERS_DISABLE="); is {
				printed = append(printed, "export VK_LOADER_DRIVERS_DISABLE="+line)
			}
		}
		for i, name := range some {
			wants = append(wants, fmt.Sprintf("%04d%s.json", i, name))
		}
	}
	for what, lines := range map[string][]string{"JSON": fromJSON, "printed": printed} {
		if len(lines) != len(wants) {
			t.Errorf("%s: %d lines for %d names", what, len(lines), len(wants))
			continue
		}
		for _, shell := range shells {
			values := valuesIn(t, shell, lines)
			for i, want := range wants {
				if i >= len(values) || values[i] != want {
					t.Errorf("%s: %s reads %s, which is for %q, as %q", what, shell[0], lines[i], want, values[min(i, len(values)-1)])
					break
				}
			}
		}
	}
}

// A shell that completes a hostile name runs no part of it: names that need quotes are not offered.
func TestCompletionsRunNothing(t *testing.T) {
	t.Parallel()
	const canary = "$(touch${IFS}PWN)"
	share := filepath.Join(built, "share")
	for name, shell := range map[string]struct {
		interactive []string
		files       map[string]string
	}{
		// the function of package bash-completion that the completion calls
		"bash": {[]string{"bash", "--rcfile", "rc", "--noprofile", "-i"}, map[string]string{"rc": `_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD
			cur=${words[cword]}; prev=${words[cword-1]}; }; __ltrim_colon_completions() { :; }; . ` + share + `/bash-completion/completions/vkloader; PS1='READY> '` + "\n"}},
		"zsh": {[]string{"zsh", "-i"}, map[string]string{".zshrc": "fpath=(" + share + "/zsh/site-functions $fpath); LISTMAX=-1; autoload -U compinit; compinit -u -D; PS1='READY> '\n"}},
		"fish": {[]string{"fish", "--no-config", "-i", "-C", "source " + share + "/fish/vendor_completions.d/vkloader.fish; function fish_prompt; echo -n 'READY> '; end"},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			at, root := w.Path("home"), hostileRoot(t, append(hostileNames(2, 1000), canary+"1", canary+"2", "same"))
			for file, text := range shell.files {
				w.Write("home/"+file, text)
			}
			out, _ := w.Run(time.Minute, filepath.Join(built, "vkloader"), "__complete", "--root", root, "explain", "VK_LAYER_z")
			if !strings.Contains(out, "VK_LAYER_zsame\n") || strings.Trim(out, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+:/-\n") != "" {
				t.Errorf("offered: %q", out)
			}
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			master, slave := terminal(t)
			cmd := exec.Command(shell.interactive[0], shell.interactive[1:]...)
			cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = at, slave, slave, slave
			cmd.Env = append(w.Environment(), "PATH="+built+":/usr/bin:/bin", "HOME="+at, "ZDOTDIR="+at, "TERM=dumb")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
			shown := readUntil(t, master, "READY> ")
			for _, typed := range []string{"explain VK_LAYER_z\t\r", "explain VK_LAYER_zs\t\r", "settings set --driver 0\t\r"} {
				if _, err := master.WriteString("vkloader --root " + root + " " + typed + "echo do\"\"ne\r"); err != nil {
					t.Fatal(err)
				}
				shown += readUntil(t, master, "done")
			}
			if _, err := os.Stat(filepath.Join(at, "PWN")); err == nil {
				t.Errorf("the shell runs a part of a name: %q", shown)
			}
			if !strings.Contains(shown, "VK_LAYER_zsame") {
				t.Errorf("nothing is completed: %q", shown)
			}
		})
	}
}

// readUntil reads a terminal until it shows a text.
func readUntil(t *testing.T, master *os.File, text string) (shown string) {
	t.Helper()
	buffer := make([]byte, 1<<16)
	for {
		n, err := master.Read(buffer)
		if shown += string(buffer[:n]); strings.Contains(shown, text) {
			return shown
		}
		if err != nil {
			t.Fatalf("%v after %q", err, shown)
		}
	}
}
