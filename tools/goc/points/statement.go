package points

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// statements are the statements of a function, by position.
type statements struct {
	all   []ast.Stmt // outer ones first
	exprs map[token.Pos]ast.Expr
}

// newStatements finds the statements of a function. It returns nil for a function without source.
func newStatements(f *ssa.Function) *statements {
	root := f.Syntax()
	if root == nil {
		return nil
	}
	s := &statements{exprs: map[token.Pos]ast.Expr{}}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt:
		case ast.Stmt:
			s.all = append(s.all, n)
		case *ast.Ident:
			if s.exprs[n.Pos()] == nil {
				s.exprs[n.Pos()] = n
			}
		case *ast.SelectorExpr: // a selector is visited before its parts
			s.exprs[n.Sel.Pos()] = n
		case *ast.IndexExpr:
			s.exprs[n.Lbrack] = n
		case *ast.StarExpr:
			s.exprs[n.Star] = n
		case *ast.CallExpr:
			s.exprs[n.Lparen] = n
		}
		return true
	})
	return s
}

// position returns the position of an instruction; for a read that is not visible in the source, the position of its address or
// of its use.
func (s *statements) position(i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	for _, v := range i.Operands(nil) {
		switch v := (*v).(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp:
			return s.position(v.(ssa.Instruction))
		}
	}
	if v, ok := i.(ssa.Value); ok {
		for _, u := range *v.Referrers() {
			if u.Pos().IsValid() {
				return u.Pos()
			}
		}
	}
	return token.NoPos
}

// of returns the innermost statement that contains an instruction; nil: unknown.
func (s *statements) of(i ssa.Instruction) (in ast.Stmt) {
	at := s.position(i)
	for _, statement := range s.all {
		if statement.Pos() <= at && at < statement.End() {
			in = statement
		}
	}
	return in
}

// text returns the source text of an instruction.
func (s *statements) text(i ssa.Instruction) string {
	if e := s.exprs[i.Pos()]; e != nil {
		return types.ExprString(e)
	}
	if load, ok := i.(*ssa.UnOp); ok { // that the source does not show
		switch v := load.X.(type) {
		case *ssa.Parameter, *ssa.FreeVar:
			return "*" + v.Name()
		case *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr:
			return "*" + s.text(v.(ssa.Instruction))
		}
	}
	return "a value"
}

func (s *statements) callee(c *ssa.Call) string {
	if e, ok := s.exprs[c.Pos()].(*ast.CallExpr); ok {
		return types.ExprString(e.Fun)
	}
	return "a function"
}
