package goc

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/tools/goc/program"
)

// limits builds the programs of limitPrograms with the harness limits.c.
func limits(t *testing.T, flags ...string) (run func(t *testing.T, arguments ...string) string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(limitPrograms))
	p, err := program.Load(root, "./test/goc/constructs", names)
	if err != nil {
		t.Fatal(err)
	}
	c := translate(t, p, names)
	harness, err := os.ReadFile("testdata/limits.c")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Split(string(c.text), "int main(")[0]
	// The headers come first, so that only the translated code calls the limited functions.
	text = "#include <stdlib.h>\nvoid *limited_malloc(size_t);\nvoid *limited_calloc(size_t, size_t);\nvoid limited_free(void *);\n#define malloc limited_malloc\n" +
		"#define calloc limited_calloc\n#define free limited_free\n" + text + string(harness)
	if err := os.WriteFile(filepath.Join(c.directory, "programs.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	path := c.compile(t, "gcc", flags...)
	return func(t *testing.T, arguments ...string) string {
		out, err := exec.Command(path, arguments...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", arguments, err, out)
		}
		return string(out)
	}
}

// TestNoMemory checks that a failure of any allocation ends the call with GOC_MEMORY, without a leak.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	run := limits(t, "-O1", "-DGOC_FIRST=(size_t)4096", "-fsanitize=address,undefined", "-fno-sanitize-recover")
	out := run(t, "memory", "Allocate")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	count := regexp.MustCompile(`^(\d+) allocations, then 0$`).FindStringSubmatch(lines[len(lines)-1])
	if count == nil {
		t.Fatal(out)
	}
	if n, _ := strconv.Atoi(count[1]); n < 10 {
		t.Errorf("%d allocations say little", n)
	}
}

// TestDepth checks that endless recursion ends before the stack is exhausted, also on stacks of 16 kB, from which
// programs call (G-12).
func TestDepth(t *testing.T) {
	t.Parallel()
	run := limits(t, "-O2", "-UGOC_STACK")
	for name := range limitPrograms {
		if strings.HasPrefix(name, "Endless") {
			t.Log(name, run(t, "depth", name))
		}
	}
}

// TestRoom checks that recursion to the depth of real code has enough stack, with and without optimization.
func TestRoom(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"-O2", "-O1", "-O0"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			if out := limits(t, level, "-UGOC_STACK")(t, "whole", "DeepBoxes"); out != "true false\n" {
				t.Error(out)
			}
		})
	}
}
