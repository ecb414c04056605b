package doctor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// changes counts the statements outside of a finding's making that change its severity, advice, cause or fact, by file. The numbers only
// shrink.
var changes = map[string]int{
	"boards.go": 1, "causes.go": 17, "chips.go": 2, "drivers.go": 12, "evidence.go": 7, "fixes.go": 2,
	"gpus.go": 1, "kernel.go": 1, "leftout.go": 11, "libraries.go": 5, "loader.go": 4, "macos.go": 3,
	"nvidiafiles.go": 2, "othersystems.go": 1, "probed.go": 14, "report.go": 3, "running.go": 1,
	"settings.go": 4, "slow.go": 2, "variables.go": 10, "windowsfiles.go": 5, "wish.go": 7,
	"wordsize.go": 4,
}

// A finding is complete when it is made: its severity, its advice, its cause and its fact are set once.
func TestFindingsAreMadeOnce(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					got[name] += fieldsOfFindings(n.Lhs...)
				}
			case *ast.IncDecStmt:
				got[name] += fieldsOfFindings(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					got[name] += fieldsOfFindings(n.X)
				}
			case *ast.CallExpr:
				if s, is := n.Fun.(*ast.SelectorExpr); is && s.Sel.Name == "soften" {
					got[name]++
				}
			}
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != changes[name] {
			t.Errorf("%s: %d statements change a finding, not %d", name, got[name], changes[name])
		}
	}
}

// fieldsOfFindings counts the expressions that are fields of a finding.
func fieldsOfFindings(list ...ast.Expr) (n int) {
	for _, e := range list {
		if s, is := e.(*ast.SelectorExpr); is && slices.Contains([]string{"Severity", "advice", "Because", "fact", "harmless"}, s.Sel.Name) {
			n++
		}
	}
	return n
}
