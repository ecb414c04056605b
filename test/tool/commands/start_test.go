package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Every command pays for the start: no package of the tool prepares at start for one command alone. Allocations are
// counted because they are the same on every machine.
func TestStart(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(filepath.Join(built, "vkloader"), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) allocs$`).FindAllStringSubmatch(string(out), -1)
	if len(lines) < 20 {
		t.Fatalf("only %d packages:\n%s", len(lines), out)
	}
	const most, mostOfOne = 1250, 350 // 250 are of the packages net/http and html/template, which ui needs
	total := 0
	for _, line := range lines {
		n, err := strconv.Atoi(line[2])
		if err != nil {
			t.Fatal(err)
		}
		total += n
		if n > mostOfOne {
			t.Errorf("%s allocates %d times at start, more than %d", line[1], n, mostOfOne)
		}
	}
	if total > most {
		t.Errorf("%d allocations at start, more than %d", total, most)
	}
}
