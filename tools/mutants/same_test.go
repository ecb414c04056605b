package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestSameCode(t *testing.T) {
	dir := t.TempDir()
	object := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".c", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gcc", "-O2", "-g", "-fPIC", "-c", "-o", path+".o", path+".c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path + ".o"
	}
	code := func(path string) string {
		text, err := machineCode(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const head = "extern int f(int), g(int);\n"
	base := object("base", head+"int h(int a) { if (a > 3) return f(a); return 1; }\n")
	for text, want := range map[string]bool{
		"int h(int b) { if (!(b <= 3)) { return f(b); } return 1; }\n": true,
		"int h(int a) { if (a > 3) return g(a); return 1; }\n":         false,
		"int h(int a) { if (a > 4) return f(a); return 1; }\n":         false,
	} {
		if same := code(base) == code(object("other", head+text)); same != want {
			t.Errorf("%s: the same: %v", text, same)
		}
	}
	one, other := object("one", "const char *f(void) { return \"one\"; }\n"), object("two", "const char *f(void) { return \"two\"; }\n")
	if code(one) == code(other) {
		t.Error("two texts are the same")
	}
}
