package scale

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// growth is the permitted cost of ten times as much. The promise is 15 times; the counts are exact enough for a lower
// limit.
const growth = 11

// command runs a program and returns its output.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = "../../.."
	var talk strings.Builder
	cmd.Stderr = &talk
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, talk.String())
	}
	return string(out)
}

// counted returns how often the blocks of the core were executed, in total and by file.
func counted(t *testing.T, directory string) (all int64, files map[string]int64) {
	t.Helper()
	profile := directory + ".txt"
	command(t, "go", "tool", "covdata", "textfmt", "-i="+directory, "-o="+profile)
	files = map[string]int64{}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n")[1:] {
		words := strings.Fields(line) // file:from,to statements count
		if len(words) != 3 || strings.HasPrefix(line, "vkloader/test/") {
			continue
		}
		count, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		file, _, _ := strings.Cut(words[0], ":")
		files[file] += count
		all += count
	}
	return all, files
}

// Every scenario of test/loader/scale/work: ten times as many objects need hardly more than ten times the work.
//
// holds: PATH-10 LAY-104 LAY-213
func TestWorkGrowsInStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "work")
	command(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=vkloader/internal/...,vkloader/test/loader/scale/work", "-o", program, "./test/loader/scale/work")
	outcome := map[int][]string{}
	for _, n := range []int{100, 1000} {
		outcome[n] = strings.Split(strings.TrimSpace(command(t, program, filepath.Join(dir, fmt.Sprint(n)), fmt.Sprint(n))), "\n")
	}
	for i, line := range outcome[100] {
		name, got, _ := strings.Cut(line, " ")
		small, smallFiles := counted(t, filepath.Join(dir, "100", name))
		large, largeFiles := counted(t, filepath.Join(dir, "1000", name))
		t.Logf("%s: %d, %d: %.1f times (%s; %s)", name, small, large, float64(large)/float64(small), got, outcome[1000][i])
		if large > growth*small {
			t.Errorf("%s: 10 times as much is %.1f times the work", name, float64(large)/float64(small))
			for file, count := range largeFiles {
				if count > growth*smallFiles[file] {
					t.Logf("    %s: %d, %d", file, smallFiles[file], count)
				}
			}
		}
	}
}
