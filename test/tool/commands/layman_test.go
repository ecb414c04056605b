package commands

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxWords is the number of words of a verdict.
const maxWords = 12

// busAddress is the address of a PCI device, without " at ", which tells one of two equal devices.
var busAddress = regexp.MustCompile(`([^a].|[^t]) [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9]`)

// On every machine, the first screen begins with a short verdict and names devices as people know them, without addresses, except that of
// one of two equal devices.
func TestScreensForPeople(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			m, err := build(archive, root)
			if err != nil {
				t.Skip("only root gives a file to another user: ", err)
			}
			args := []string{"--root", root}
			for _, variable := range m.env {
				args = append(args, "--env", variable)
			}
			out, _ := execute(t, slices.Concat(args, []string{"--json"})...)
			verdict := ""
			if _, rest, is := strings.Cut(out, `"verdict": "`); is {
				verdict, _, _ = strings.Cut(rest, `"`)
			}
			if n := len(strings.Fields(verdict)); n == 0 || n > maxWords {
				t.Errorf("%d words: %s", n, verdict)
			}
			out, _ = execute(t, args...)
			if busAddress.MatchString(out) || strings.Contains(out, "not this loader") {
				t.Error(out)
			}
		})
	}
}
