package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/workers"
)

// The findings of every situation have the severities and causes of testdata/situations/findings.txt. A change of a rule shows here what it
// changes on all machines.
func TestFindingsOfSituations(t *testing.T) {
	t.Parallel()
	const golden = "testdata/situations/findings.txt"
	archives, err := filepath.Glob("testdata/situations/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	found := make([]string, len(archives))
	var running workers.Group
	limit := make(chan struct{}, 4)
	for i, archive := range archives {
		running.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			text, err := findingsOf(t, archive)
			if found[i] = text; errors.Is(err, fs.ErrPermission) {
				found[i] = "?"
			} else if err != nil {
				t.Errorf("%s: %v", archive, err)
			}
		})
	}
	running.Wait()
	if t.Failed() {
		return
	}
	if slices.Contains(found, "?") {
		t.Skip("only root gives a file to another user")
	}
	got := strings.Join(found, "")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	had := strings.SplitAfter(string(want), "\n\n")
	for _, part := range found {
		if !slices.Contains(had, part) {
			t.Errorf("changed (-update writes the file):\n%s", part)
		}
	}
	if len(had)-1 != len(found) {
		t.Errorf("%d situations, and %d in the file", len(found), len(had)-1)
	}
}

// findingsOf returns the findings of a situation's machine, without its directory.
func findingsOf(t *testing.T, archive string) (string, error) {
	root := t.TempDir()
	m, err := build(archive, root)
	if err != nil {
		return "", err
	}
	s := readSituation(t, archive)
	p := &patient{root: root, env: m.env}
	if at := slices.Index(s.run, "--user"); at >= 0 {
		p.user = s.run[at+1]
	}
	list, err := p.report()
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(filepath.Base(archive), ".txtar") + "\n"
	for _, f := range list {
		line := fmt.Sprintf("\t%s %s, %s", f.Severity, f.Code, f.Subject)
		if f.Path != "" && !strings.HasSuffix(f.Path, f.Subject) {
			line += " " + f.Path
		}
		if f.Because != "" {
			line += " <- " + f.Because
		}
		text += strings.ReplaceAll(line, root, "ROOT") + "\n"
	}
	return text + "\n", nil
}
