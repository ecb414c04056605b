package doctor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// setters are the functions that complete findings, with the field that each sets.
var setters = map[string][]string{"weigh": {"Severity", "exempt"}, "setCauses": {"Because"}, "prefer": {"remedies"}, "conclude": {"remedies"}}

// A finding is complete when it is made. One function sets the severities, one the causes, and one the remedy that was tried, of those that
// prefer added; nothing changes the fact or any of these elsewhere.
func TestFindingsAreMadeOnce(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			function, is := declaration.(*ast.FuncDecl)
			if !is {
				continue
			}
			changed := func(list ...ast.Expr) {
				for _, e := range list {
					field, is := e.(*ast.SelectorExpr)
					switch {
					case !is || !slices.Contains([]string{"Severity", "exempt", "Because", "remedies", "fact", "usual"}, field.Sel.Name):
					case slices.Contains(setters[function.Name.Name], field.Sel.Name):
						done[field.Sel.Name]++
					default:
						t.Errorf("%s: %s changes the %s of a finding", files.Position(e.Pos()), function.Name.Name, field.Sel.Name)
					}
				}
			}
			ast.Inspect(function, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					changed(n.Lhs...)
				case *ast.IncDecStmt:
					changed(n.X)
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						changed(n.X)
					}
				}
				return true
			})
		}
	}
	for _, fields := range setters {
		for _, field := range fields {
			done[field]--
		}
	}
	for field, more := range done {
		if more != 0 {
			t.Errorf("%d more or fewer statements than functions set the %s of findings", more, field)
		}
	}
}
