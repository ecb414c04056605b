package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// Every command in the help has a man page with all its options. The pages are the same each time.
func TestManPages(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(built, "vkloader")
	directory := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if out, err := exec.Command(tool, "pages", filepath.Join(directory, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := exec.Command("diff", "-r", filepath.Join(directory, "a"), filepath.Join(directory, "b")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	commands := regexp.MustCompile(`(?ms)^Available Commands:\n(.*?)\n\n`)
	options := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
	pages := 0
	var walk func(args ...string)
	walk = func(args ...string) {
		help, err := exec.Command(tool, append(args, "--help")...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		page, err := os.ReadFile(filepath.Join(directory, "a/man/man1", strings.Join(append([]string{"vkloader"}, args...), "-")+".1"))
		if err != nil {
			t.Error(err)
		}
		pages++
		for _, option := range options.FindAllStringSubmatch(string(help), -1) {
			if !strings.Contains(string(page), `\fB`+strings.ReplaceAll(option[1], "-", `\-`)+`\fP`) {
				t.Errorf("the page of %v lacks %s", args, option[1])
			}
		}
		if list := commands.FindStringSubmatch(string(help)); list != nil {
			for _, line := range strings.Split(list[1], "\n") {
				if strings.HasPrefix(line, "   ") {
					continue // the rest of a description
				}
				if name := strings.Fields(line)[0]; name != "help" && name != "completion" {
					walk(append(args[:len(args):len(args)], name)...)
				}
			}
		}
	}
	walk()
	if pages < 15 {
		t.Errorf("only %d pages", pages)
	}
}

// bash reads the completion for bash, which asks the tool.
func TestBashCompletion(t *testing.T) {
	t.Parallel()
	machine.Need(t, "bash")
	script := `_init_completion() { :; }; __start_test() { :; }; . "$1" && complete -p vkloader && type __start_vkloader`
	out, err := exec.Command("bash", "-c", script, "bash", filepath.Join(built, "share/bash-completion/completions/vkloader")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "__start_vkloader") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The man page that a systemd unit names in Documentation= exists.
func TestUnitsNameManPages(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	if out, err := exec.Command(filepath.Join(built, "vkloader"), "pages", directory).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	named := 0
	for _, pattern := range []string{"*.service", "*.path", "user/*.service"} {
		units, err := filepath.Glob(filepath.Join("../../../packaging/systemd", pattern))
		if err != nil || len(units) == 0 {
			t.Fatalf("%s: %q, %v", pattern, units, err)
		}
		for _, unit := range units {
			text, err := os.ReadFile(unit)
			if err != nil {
				t.Fatal(err)
			}
			for _, page := range regexp.MustCompile(`man:([a-z-]+)\((\d)\)`).FindAllStringSubmatch(string(text), -1) {
				named++
				if _, err := os.Stat(filepath.Join(directory, "man/man"+page[2], page[1]+"."+page[2])); err != nil {
					t.Errorf("%s: %v", unit, err)
				}
			}
		}
	}
	if named < 4 {
		t.Errorf("the units name only %d man pages", named)
	}
}
