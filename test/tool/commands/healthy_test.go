package commands

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// On machines without faults, doctor finds no problem and no warning, says so in its verdict, and exits with 0. Machines with programs of
// two word sizes are examined for both.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/machines/healthy-*.txtar")
	if err != nil || len(archives) < 6 {
		t.Fatalf("%d machines, %v", len(archives), err)
	}
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			m, err := build(archive, root)
			if err != nil {
				t.Fatal(err)
			}
			arguments := []string{"--root", root}
			for _, variable := range m.env {
				arguments = append(arguments, "--env", variable)
			}
			arguments = append(arguments, "doctor", "--json")
			out, code := execute(t, arguments...)
			var report struct {
				Verdict  string
				Findings []struct{ Severity, Code, Subject, What string }
			}
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, f := range report.Findings {
				if f.Severity != "note" {
					t.Errorf("a false alarm: %s %s: %s: %s", f.Severity, f.Code, f.Subject, f.What)
				}
			}
			if code != 0 || !strings.HasSuffix(report.Verdict, "no problems found") && !strings.HasSuffix(report.Verdict, "nothing else found") {
				t.Errorf("exit code %d, %q", code, report.Verdict)
			}
			for _, words := range [][]string{{"list", "drivers"}, {"list", "layers"}, nil} {
				if out, code := execute(t, append(slices.Clone(arguments[:len(arguments)-2]), words...)...); code != 0 {
					t.Errorf("%q: exit code %d: %s", words, code, out)
				}
			}
		})
	}
}

// execute runs the built tool, and returns its output and its exit code.
func execute(t *testing.T, arguments ...string) (out string, code int) {
	t.Helper()
	text, err := exec.Command(filepath.Join(built, "vkloader"), arguments...).Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	} else if err != nil {
		code = exit.ExitCode()
	}
	return string(text), code
}
