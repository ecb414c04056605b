package goc

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/ssa"

	"vkloader/internal/core/runtime"
	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

var (
	programs = flag.Int("programs", 500, "how many random programs")
	seed     = flag.Int64("seed", 1, "the seed of the first random program; each other one has the next")
	sanitize = flag.Bool("sanitize", false, "compile the random programs with sanitizers")
)

// TestPrograms checks that random programs behave the same in C and in Go, and panic with the same text.
func TestPrograms(t *testing.T) {
	t.Parallel()
	const batch = 125
	for at := 0; at < *programs; at += batch {
		var seeds []int64
		for i := at; i < min(at+batch, *programs); i++ {
			seeds = append(seeds, *seed+int64(i))
		}
		runRandom(t, seeds)
	}
}

// runRandom compares the programs of the seeds. If they cannot be compared together, it compares each half
// separately.
func runRandom(t *testing.T, seeds []int64) {
	t.Helper()
	var text strings.Builder
	text.WriteString(prelude)
	var names []string
	var calls strings.Builder
	for _, s := range seeds {
		declarations, begin := randomProgram(s)
		text.WriteString(declarations)
		names = append(names, begin)
		fmt.Fprintf(&calls, "\trun(%q, %s)\n", begin, begin)
	}
	text.WriteString(afterwards + "\nfunc main() {\n" + calls.String() + "}\n")
	directory := t.TempDir()
	want, got, err := bothWays(t, directory, text.String(), names)
	if err != nil {
		if len(seeds) > 1 {
			runRandom(t, seeds[:len(seeds)/2])
			runRandom(t, seeds[len(seeds)/2:])
			return
		}
		declarations, _ := randomProgram(seeds[0])
		t.Errorf("-programs 1 -seed %d: %v\n%s", seeds[0], err, declarations)
		return
	}
	panics := 0
	for i, name := range names {
		if strings.Contains(want[name], "panic: ") {
			panics++
		}
		if want[name] != got[name] {
			declarations, _ := randomProgram(seeds[i])
			t.Errorf("-programs 1 -seed %d: %s\n%s", seeds[i], difference(want[name], got[name]), declarations)
		}
	}
	t.Logf("seeds %d to %d: %d of %d programs panic", seeds[0], seeds[len(seeds)-1], panics, len(seeds))
	if len(seeds) > 100 && (panics == 0 || panics > len(seeds)*2/3) {
		t.Errorf("%d of %d programs panic: they say little", panics, len(seeds))
	}
}

// bothWays runs the programs of one file in Go and in C.
func bothWays(t *testing.T, directory, text string, names []string) (want, got map[string]string, err error) {
	source := filepath.Join(directory, "main.go")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return nil, nil, err
	}
	native, translated := filepath.Join(directory, "native"), filepath.Join(directory, "translated")
	build := exec.Command("go", "build", "-o", native, "main.go")
	build.Dir = directory
	if out, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("go build: %v\n%.3000s", err, out)
	}
	if err := translateFile(t, source, translated+".c", names); err != nil {
		return nil, nil, err
	}
	flags := append(append([]string{}, warnings...), "-O1", "-w", "-I"+root+"/internal/core/runtime/c", "-o", translated, translated+".c", "-lm")
	if *sanitize {
		flags = append(flags, "-fsanitize=address,undefined", "-fno-sanitize-recover")
	}
	if out, err := exec.Command("gcc", flags...).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("gcc: %v\n%.3000s", err, out)
	}
	if want, err = printed(native); err == nil {
		cutNumbers(want)
		got, err = printed(translated, names...)
	}
	return want, got, err
}

// translateFile translates functions of a package main without imports to C.
func translateFile(t *testing.T, source, to string, names []string) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("the translator fails: %v", what)
		}
	}()
	c := newChecker(t)
	p, err := c.check(source, nil)
	if err != nil {
		return err
	}
	var begins []*ssa.Function
	for _, name := range names {
		begins = append(begins, p.Func(name))
	}
	made, err := program.New(c.ssa, filepath.Dir(source), begins)
	if err != nil {
		return err
	}
	exported := map[*ssa.Function]string{}
	var table strings.Builder
	for i, f := range made.Exports {
		exported[f] = fmt.Sprintf("random_%d", i)
		fmt.Fprintf(&table, "    {\"%s\", random_%d},\n", names[i], i)
	}
	text, err := emit.Write(made, emit.Options{Runtime: runtime.Text + printing, Exported: exported, Print: true})
	if err != nil {
		return err
	}
	text = fmt.Appendf(text, "static const struct goc_program programs[] = {\n%s};\n"+
		"int main(int argc, char **argv) { return goc_programs(programs, %d, argc, argv); }\n", table.String(), len(names))
	return os.WriteFile(to, text, 0o644)
}

// printed runs a file with several programs and returns the output of each.
func printed(path string, arguments ...string) (map[string]string, error) {
	limit, end := context.WithTimeout(context.Background(), 5*time.Minute)
	defer end()
	c := exec.CommandContext(limit, path, arguments...)
	var text bytes.Buffer
	c.Stderr = &text
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", filepath.Base(path), err, text.Bytes()[max(0, text.Len()-3000):])
	}
	return split(text.String()), nil
}
