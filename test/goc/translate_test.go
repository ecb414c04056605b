package goc

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"vkloader/internal/core/runtime"
	"vkloader/tools/goc/emit"
	"vkloader/tools/goc/program"
)

// printing is the C source with which translated programs print and run, behind that of the run-time support.
//
//go:embed testdata/print.c
var printing string

// root is the path of the repository's root from this directory.
const root = "../.."

// TestMain also runs programs of package constructs as Go: those that GOC_NATIVE names, one after the other, until one panics.
func TestMain(m *testing.M) {
	if names := os.Getenv("GOC_NATIVE"); names != "" {
		for name := range strings.SplitSeq(names, " ") {
			println("===", name)
			constructPrograms[name]()
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// translation is a C file with several programs, which runs the programs named on its command line.
type translation struct {
	text      []byte
	directory string
}

// translate translates functions without parameters into one C file; names are their names in C.
func translate(t *testing.T, p *program.Program, names []string) *translation {
	t.Helper()
	text, err := file(p, names)
	if err != nil {
		t.Fatal(err)
	}
	c := &translation{text: text, directory: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.directory, "programs.c"), c.text, 0o644); err != nil {
		t.Fatal(err)
	}
	return c
}

func file(p *program.Program, names []string) ([]byte, error) {
	exported := map[*ssa.Function]string{}
	for i, f := range p.Exports {
		exported[f] = fmt.Sprintf("program_%d", i)
	}
	text, err := emit.Write(p, emit.Options{Runtime: runtime.Text + printing, Exported: exported, Print: true})
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(text)
	fmt.Fprintf(out, "\n#line 1 \"programs.c\"\nstatic const struct goc_program programs[] = {\n")
	for i, name := range names {
		fmt.Fprintf(out, "    {\"%s\", program_%d},\n", name, i)
	}
	fmt.Fprintf(out, "};\nint main(int argc, char **argv) { return goc_programs(programs, %d, argc, argv); }\n", len(names))
	return out.Bytes(), nil
}

// warnings are the flags with which the library's C is compiled.
var warnings = strings.Fields("-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fwrapv -fno-strict-aliasing -ffp-contract=off -DGOC_STACK=4000000")

// compile compiles the file to a program.
func (c *translation) compile(t *testing.T, compiler string, flags ...string) (program string) {
	t.Helper()
	out := filepath.Join(c.directory, strings.NewReplacer("/", "_", " ", "_").Replace(t.Name()))
	arguments := append(append([]string{}, warnings...), flags...)
	arguments = append(arguments, "-I"+root+"/internal/core/runtime/c", "-o", out, filepath.Join(c.directory, "programs.c"), "-lm")
	if text, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.8000s", compiler, err, text)
	}
	return out
}

// output returns the output of each program. If a program panics, its output ends with "panic: ...".
func output(t *testing.T, program string, names []string) map[string]string {
	t.Helper()
	c := exec.Command(program, names...)
	c.Env = append(os.Environ(), "ASAN_OPTIONS=detect_stack_use_after_return=1", "UBSAN_OPTIONS=halt_on_error=1")
	var text bytes.Buffer
	c.Stderr = &text
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v\n%.8000s", program, err, text.Bytes())
	}
	return split(text.String())
}

func split(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq("\n"+text, "\n=== ") {
		if name, rest, ok := strings.Cut(part, "\n"); ok || name != "" {
			out[name] = strings.TrimSuffix(rest, "\n")
		}
	}
	return out
}

// numbers matches the numbers in a panic's text, which the translated programs leave out.
var numbers = regexp.MustCompile(`(panic: runtime error: (?:index|slice bounds) out of range) \[.*`)

// cutNumbers replaces Go's texts of panics by those of the translated programs.
func cutNumbers(outputs map[string]string) {
	for name, text := range outputs {
		outputs[name] = numbers.ReplaceAllString(text, "$1")
	}
}

// native runs programs of package constructs as Go.
func native(t *testing.T, names []string) map[string]string {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "GOC_NATIVE="+strings.Join(names, " "))
	var text bytes.Buffer
	c.Stderr = &text
	err := c.Run()
	before, panicked, ok := strings.Cut(text.String(), "\npanic: ")
	if ok {
		for _, end := range []string{"\n[signal ", "\n\ngoroutine "} {
			panicked, _, _ = strings.Cut(panicked, end)
		}
		out := split(before + "\npanic: " + panicked)
		cutNumbers(out)
		return out
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", names, err, text.Bytes())
	}
	return split(text.String())
}

func compare(t *testing.T, names []string, want, got map[string]string) {
	t.Helper()
	for _, name := range names {
		if _, ok := got[name]; !ok {
			t.Errorf("%s did not run", name)
		} else if want[name] != got[name] {
			t.Errorf("%s:\n%s", name, difference(want[name], got[name]))
		}
	}
}

func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n  Go: %s\n  C:  %s", i+1, a, b)
		}
	}
	return ""
}
