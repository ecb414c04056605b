package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/survey"
	"vkloader/test/lib/inmemory"
	"vkloader/test/lib/tree"
)

func TestExplainText(t *testing.T) {
	tree := mixed()
	source := &machine.Source{Machine: machine.Machine{Root: t.TempDir(), Environ: []string{"HOME=/h", "NO_D=", "VK_INSTANCE_LAYERS=VK_LAYER_e"}}}
	for name, content := range tree.Files {
		path := filepath.Join(source.Root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := explain.Decide(source)
	if err != nil {
		t.Fatal(err)
	}
	in, out := explain.Of(answer)
	survey.Fixes(source, answer, in, out)
	var text bytes.Buffer
	printExplained(&invocation{out: &text}, &survey.Explanation{App: "/bin/game", In: explain.Matching(in, []string{"LAYER_", "liba"}),
		Out: explain.Matching(out, []string{"o.json"}), Part: true})
	want := []string{
		"For /bin/game:\n", "  1 VK_LAYER_i: ", "      off with NO_I=1\n", "  2 VK_LAYER_e: ",
		"      off with VK_LOADER_LAYERS_DISABLE=VK_LAYER_e\n", " a.json: ", "      library /d/liba.so\n",
		"\nNot used\n    VK_LAYER_o: ", "      on with YES_O=on\n",
	}
	rest := text.String()
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("no %q, in this order, in\n%s", w, &text)
		}
		rest = after
	}
	if strings.Contains(text.String(), "b.json") {
		t.Errorf("what was not asked for is there:\n%s", &text)
	}
}

// --env, --app and --elevated change the explained program, and not this process.
func TestExplainWhatIf(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("relative", 0o755), os.WriteFile("relative/game", nil, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := (&invocation{}).source("relative/gone", false); err == nil || !strings.Contains(err.Error(), "relative/gone") {
		t.Errorf("a program that is not there: %v", err)
	}
	directory, err := filepath.Abs("relative")
	if err != nil {
		t.Fatal(err)
	}
	named := &invocation{environ: []string{"PATH=/nonexistent:" + directory}}
	if source, err := named.source("game", false); err != nil || !strings.HasSuffix(source.Program, "/relative/game") {
		t.Errorf("a program by its name: %v, %v", source, err)
	}
	if _, err := named.source("gone", false); err == nil || !strings.Contains(err.Error(), "no program gone in PATH") {
		t.Errorf("a name of no program: %v", err)
	}
	s := &invocation{environ: []string{"HOME=/h", "A=0"}, Env: []string{"A=1=2", "HOME"}}
	source, err := s.source("relative/game", true)
	if err != nil {
		t.Fatal(err)
	}
	if v := source.Var("A", false); v.Value != "1=2" || !v.Set {
		t.Errorf("A: %+v", v)
	}
	if v := source.Var("HOME", false); v.Set {
		t.Errorf("HOME: %+v", v)
	}
	if v := source.Var("A", true); v.Set {
		t.Errorf("a variable that an elevated program does not see: %+v", v)
	}
	if exe := source.Exe(); !strings.HasSuffix(exe.Path, "/relative/game") || !strings.HasPrefix(exe.Path, "/") {
		t.Errorf("program: %+v", exe)
	}
	s.Env = []string{"=x"}
	if _, err := s.source("", false); err == nil {
		t.Error("a variable without a name is taken")
	}
}

// mixed returns a tree with layers and drivers of each kind.
func mixed() *inmemory.Tree {
	return &inmemory.Tree{Vars: map[string]string{"HOME": "/h", "NO_D": ""}, Files: tree.Mixed()}
}

// A broken driver whose device is absent is not used; of one whose device is present, the library is missing.
func TestExplainOfBrokenAbsentDriver(t *testing.T) {
	for _, c := range []struct {
		harmless bool
		want     string
	}{{true, "      not used: its library is missing\n"}, {false, "      missing: its library is missing\n"}} {
		var text bytes.Buffer
		of := standing.Standing{Stage: standing.Chosen, But: "its library is missing", Fault: standing.FaultMissing, Harmless: c.harmless}
		printItem(&invocation{out: &text}, &explain.Item{Kind: "driver", Order: 1, Name: "a.json", Standing: of}, "off with")
		if !strings.Contains(text.String(), c.want) {
			t.Errorf("no %q in\n%s", c.want, &text)
		}
	}
}
