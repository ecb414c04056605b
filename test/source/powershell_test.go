package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// A grammar of PowerShell and what parses by it, as npm has them: Debian has no PowerShell.
const (
	grammarRelease = "0.26.4"
	grammarSum     = "5RwNW/qN/cKArZY0znvTOG+OWSau7Agel5K0A8KQ5Nubw/4SyZ5KC02RKCaYcA2ur5UQ8esyxe9+6yXup2MXkw=="
	parserRelease  = "0.27.1"
	parserSum      = "qtx0VyUyNRHtL3ze7+v0hCKB/sLcAmY7ZAVp/ZK/bCj0yED8ptvNrr7Vd7DwDyKDWN9baqcUx4uaD2r2ql+6IA=="
)

// parse prints a line for each place of its files where the grammar does not fit.
const parse = `const { Parser, Language } = require("./web-tree-sitter.cjs");
const fs = require("fs");
(async () => {
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load("tree-sitter-powershell.wasm"));
  for (const file of process.argv.slice(2)) {
    const look = (n) => {
      if (n.isError || n.isMissing) console.log(file + ":" + (n.startPosition.row + 1) + ": " + n.type + " " + n.text.slice(0, 60));
      n.children.forEach(look);
    };
    look(parser.parse(fs.readFileSync(file, "utf8")).rootNode);
  }
})();
`

// The scripts of PowerShell are such by the language's grammar. A check that finds nothing is one that finds something in a script
// that lacks a brace or a quotation mark.
func TestPowerShellParses(t *testing.T) {
	t.Parallel()
	machine.Need(t, "npm") // which brings node
	at := t.TempDir()
	for _, p := range []struct {
		name, release, sum string
		files              []string
	}{
		{"tree-sitter-powershell", grammarRelease, grammarSum, []string{"tree-sitter-powershell.wasm"}},
		{"web-tree-sitter", parserRelease, parserSum, []string{"web-tree-sitter.cjs", "web-tree-sitter.wasm"}},
	} {
		archive, missing := machine.Archive(p.name, p.release, p.sum)
		if missing != "" {
			t.Skipf("no grammar of PowerShell: %s", missing)
		}
		for _, name := range p.files {
			data, err := machine.Unpacked(archive, "package/"+name)
			if err == nil {
				err = os.WriteFile(filepath.Join(at, name), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(at, "parse.js"), []byte(parse), 0o600); err != nil {
		t.Fatal(err)
	}
	faults := func(files ...string) string {
		// The compiler of the second stage would go on for minutes when the parser has ended.
		node := exec.Command("node", append([]string{"--liftoff-only", "parse.js"}, files...)...)
		node.Dir = at
		out, err := node.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	scripts, err := filepath.Glob(filepath.Join(machine.Repository(t), "packaging/windows/*.ps1"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%q, %v", scripts, err)
	}
	if said := faults(scripts...); said != "" {
		t.Error(said)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for fault, mark := range map[string]string{"brace": "}", "opening quotation mark": "= '", "parenthesis": ")"} {
			bad := filepath.Join(at, "bad.ps1")
			end := strings.LastIndex(string(text), mark) + len(mark)
			if err := os.WriteFile(bad, []byte(string(text[:end-1])+string(text[end:])), 0o600); err != nil {
				t.Fatal(err)
			}
			if faults(bad) == "" {
				t.Errorf("%s without its last %s has no fault", script, fault)
			}
		}
	}
}
