package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
)

// A command line that begins with a command's name creates only that command, with the same help as in the full tree. Every
// other command line creates all commands.
func TestTreeOfOneCommand(t *testing.T) {
	s, out, errOut := world(t, goodRun)
	all := everyCommand()
	shows := func(args ...string) string {
		out.Reset()
		errOut.Reset()
		if code := runLine(s, args); code != exit.Fine || errOut.Len() > 0 {
			t.Errorf("%q: exit code %d\n%s", args, code, errOut)
		}
		return out.String()
	}
	walked := 0
	var walk func(cmd *cobra.Command, path ...string)
	walk = func(cmd *cobra.Command, path ...string) {
		walked++
		if one, full := shows(append(slices.Clone(path), "--help")...), shows(append([]string{"help"}, path...)...); one != full || one == "" {
			t.Errorf("%q alone:\n%s\namong all:\n%s", path, one, full)
		}
		for _, sub := range cmd.Commands() {
			walk(sub, append(slices.Clone(path), sub.Name())...)
		}
	}
	for _, c := range all {
		made := c.make(s)
		if made.Name() != c.name {
			t.Errorf("the command %q has the name %q in the table", made.Name(), c.name)
		}
		if c.name == commandOfPages {
			continue
		}
		if got := newRoot(s, []string{c.name, "--help"}).Commands(); len(got) != 1 || got[0].Name() != c.name {
			t.Errorf("%s: %d commands are made", c.name, len(got))
		}
		walk(made, c.name)
	}
	if walked < 30 {
		t.Errorf("only %d commands", walked)
	}
	for _, line := range []string{"", "help", "--help", "nonsense", "completion bash", "__complete l", "pages /nowhere", "--rules list", "--version list"} {
		if got := len(newRoot(s, strings.Fields(line)).Commands()); got != len(all) {
			t.Errorf("%q: %d commands are made, want %d", line, got, len(all))
		}
	}
}

// docs/tool.md names exactly the commands without --json. The help of a group of commands counts.
func TestCommandsWithoutJSON(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/tool.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "Every command has `--json` except ")
	if !found {
		t.Fatal("docs/tool.md has no list of the commands without --json")
	}
	after, _, _ = strings.Cut(after, "\n\n")
	var named []string
	for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(after, -1) {
		if !strings.Contains(m[1], "--") {
			named = append(named, m[1])
		}
	}
	var without []string
	with := 0
	var walk func(cmd *cobra.Command, path string)
	walk = func(cmd *cobra.Command, path string) {
		switch {
		case cmd.Hidden || path == "help" || path == "completion":
			return
		case cmd.Flags().Lookup("json") != nil:
			with++
		default:
			without = append(without, path)
		}
		for _, sub := range cmd.Commands() {
			walk(sub, strings.TrimSpace(path+" "+sub.Name()))
		}
	}
	walk(newRoot(&invocation{}, nil), "")
	slices.Sort(named)
	slices.Sort(without)
	if !slices.Equal(named, without) || with < 25 {
		t.Errorf("docs/tool.md names\n%q, and without --json are\n%q; %d have it", named, without, with)
	}
}
