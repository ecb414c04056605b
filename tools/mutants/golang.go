package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// goMutants plants faults in a Go file: negated conditions, other operators, dropped statements and entries, swapped
// statements, altered texts and results.
func goMutants(file string, text []byte) ([]mutant, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	m := &goFile{name: file, text: string(text), files: files}
	ast.Inspect(parsed, m.visit)
	return m.mutants, nil
}

// goFile is a file of Go with its mutants.
type goFile struct {
	name, text string
	files      *token.FileSet
	mutants    []mutant
}

func (m *goFile) place(p token.Pos) int { return m.files.Position(p).Offset }

func (m *goFile) source(from, to token.Pos) string { return m.text[m.place(from):m.place(to)] }

// short returns a short form of source text for a list.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 90 {
		s = s[:90] + "..."
	}
	return s
}

func (m *goFile) add(from, to token.Pos, with, what string) {
	// The number of lines stays, so that the code behind them compiles to the same.
	with += strings.Repeat("\n", max(0, strings.Count(m.source(from, to), "\n")-strings.Count(with, "\n")))
	m.mutants = append(m.mutants, mutant{file: m.name, text: m.text, line: m.files.Position(from).Line,
		from: m.place(from), to: m.place(to),
		with: with, what: what})
}

// block drops statements, and swaps calls.
func (m *goFile) block(list []ast.Stmt) {
	for i, statement := range list {
		s := m.source(statement.Pos(), statement.End())
		switch x := statement.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt:
			m.add(statement.Pos(), statement.End(), "", "dropped: "+short(s))
		case *ast.AssignStmt:
			if x.Tok == token.ASSIGN || x.Tok == token.ADD_ASSIGN || x.Tok == token.OR_ASSIGN {
				m.add(statement.Pos(), statement.End(), "", "dropped: "+short(s))
			}
		default:
			continue
		}
		if i+1 < len(list) {
			next := list[i+1]
			_, call := statement.(*ast.ExprStmt)
			_, nextCall := next.(*ast.ExprStmt)
			if call && nextCall { // the order of assignments mostly means nothing
				between := m.source(statement.End(), next.Pos())
				m.add(statement.Pos(), next.End(), m.source(next.Pos(), next.End())+between+s,
					"swapped with the next: "+short(s))
			}
		}
	}
}

// visit adds the mutants of a node; false: its parts have none.
func (m *goFile) visit(node ast.Node) bool {
	switch x := node.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.IfStmt:
		m.add(x.Cond.Pos(), x.Cond.End(), "!("+m.source(x.Cond.Pos(), x.Cond.End())+")",
			"negated: if "+short(m.source(x.Cond.Pos(), x.Cond.End())))
	case *ast.BinaryExpr:
		if with, ok := opposite[x.Op.String()]; ok {
			if x.Op == token.ADD || x.Op == token.SUB { // only where a number is one off
				if lit, ok := x.Y.(*ast.BasicLit); !ok || lit.Kind != token.INT {
					return true
				}
			}
			m.add(x.OpPos, x.OpPos+token.Pos(len(x.Op.String())), with,
				fmt.Sprintf("%s for %s: %s", with, x.Op, short(m.source(x.Pos(), x.End()))))
		}
	case *ast.BlockStmt:
		m.block(x.List)
	case *ast.CaseClause:
		m.block(x.Body)
	case *ast.CompositeLit:
		for i, element := range x.Elts {
			if _, isKey := element.(*ast.KeyValueExpr); isKey {
				continue
			}
			if i+1 == len(x.Elts) {
				continue
			}
			m.add(element.Pos(), x.Elts[i+1].Pos(), "", "dropped entry: "+short(m.source(element.Pos(), element.End())))
		}
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			if s, err := strconv.Unquote(x.Value); err == nil && len(s) >= 3 && x.Value[0] == '"' {
				if p := letter(x.Value, 1, len(x.Value)-1); p > 0 {
					m.add(x.Pos()+token.Pos(p), x.Pos()+token.Pos(p+1), other(x.Value[p]), "altered text: "+
						short(x.Value))
				}
			}
		}
	case *ast.ReturnStmt:
		for _, result := range x.Results {
			if name, ok := result.(*ast.Ident); ok && (name.Name == "true" || name.Name == "false") {
				with := map[string]string{"true": "false", "false": "true"}[name.Name]
				m.add(name.Pos(), name.End(), with, "returns "+with+" instead of "+name.Name)
			}
		}
	}
	return true
}
