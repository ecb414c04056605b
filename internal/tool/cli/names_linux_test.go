package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vkloader/internal/tool/exit"
)

// About fourteen commands are in the help.
func TestFewCommands(t *testing.T) {
	s, out, _ := world(t, goodRun)
	runLine(s, []string{"help"})
	_, list, _ := strings.Cut(out.String(), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	if count := strings.Count(list, "\n  ") + 1; count > 15 { // with help
		t.Errorf("%d commands:\n%s", count, list)
	}
}

// A word that is no command, but a statement, a finding, a driver, a layer, a program or a file, gets its answer.
func TestWordsThatAreNoCommands(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(manifest, []byte(`{"file_format_version":"1.0.0","ICD":{}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"LAY-173", "LAY-173"},
		{"library-needs", "finding of vkloader doctor"},
		{"driver-disabled", "finding of vkloader doctor"},
		{"driver.json", "driver.json: "},
		{"/bin/true", "For /bin/true:"},
		{"sh", "/sh:"},
		{"explain sh", "/sh:"},
		{"explain library-needs", "finding of vkloader doctor"},
		{manifest, "library_path"},
	} {
		s, out, errOut := world(t, goodRun)
		s.environ = append(s.environ, "HOME="+t.TempDir())
		if code := runLine(s, strings.Fields(c.line)); code == exit.Usage || code == exit.NotLooked || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.line, code, out, errOut)
		}
	}
	for _, line := range []string{"--nonsense", "no-such-word", "/no/such/file", "/", "disable VK_LAYER_x"} {
		s, out, errOut := world(t, goodRun)
		if code := runLine(s, strings.Fields(line)); code != exit.Usage || out.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, errOut)
		}
	}
}

// The error of a command with --root has the command's name.
func TestErrorsHavePresentNames(t *testing.T) {
	s, _, errOut := world(t, goodRun)
	runLine(s, []string{"list", "devices", "--details", "--root", t.TempDir()})
	if !strings.Contains(errOut.String(), "list devices examines") {
		t.Error(errOut)
	}
}

// Each command and option has a text in help.txt, and each row of options there has an option.
func TestHelpNamesOptions(t *testing.T) {
	s, _, _ := world(t, "")
	root := newRoot(s, nil)
	describe(root)
	rows := map[string]bool{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "vkloader ")
		if cmd.Short == "" && cmd.Name() != "follow" {
			t.Errorf("%s has no text", name)
		}
		every := func(f *pflag.Flag) {
			rows[f.Name], rows[name+" "+f.Name] = true, true
			if f.Usage == "" && !f.Hidden && !cmd.Hidden {
				t.Errorf("%s --%s has no text", name, f.Name)
			}
		}
		cmd.Flags().VisitAll(every)
		cmd.PersistentFlags().VisitAll(every)
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(root)
	for section := range strings.SplitSeq(helpTexts, "\n# ") {
		name, text, _ := strings.Cut(section, "\n")
		_, text, is := strings.Cut(text, "\n\n## options\n")
		text, _, _ = strings.Cut(text, "\n\n")
		if name == "options" {
			is, name, text = true, "", section[len("options\n"):]
			text, _, _ = strings.Cut(text, "\n\n")
		}
		for row := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			option, _, _ := strings.Cut(row, ": ")
			if is && !rows[strings.TrimPrefix(name+" "+option, " ")] {
				t.Errorf("%s has no option %s", name, option)
			}
		}
	}
}
