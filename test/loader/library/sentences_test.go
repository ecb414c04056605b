package library

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// TestNoSentencesOfTheTool checks that the library contains none of the tool's sentences about decisions. The core
// returns codes and details; internal/decide/reasons, which only the tool links, has the sentences.
func TestNoSentencesOfTheTool(t *testing.T) {
	t.Parallel()
	library, err := os.ReadFile(world.Library())
	if err != nil {
		t.Fatal(err)
	}
	source, err := parser.ParseFile(token.NewFileSet(), filepath.Join(world.Top(), "internal/decide/reasons/reasons.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(source, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(strings.ReplaceAll(text, "%2", "%1"), "%1") {
			if strings.Count(strings.TrimSpace(part), " ") < 2 || strings.HasPrefix(part, "the settings") {
				continue // short, or a part of a line of the log
			}
			if seen++; bytes.Contains(library, []byte(part)) {
				t.Errorf("the library contains %q", part)
			}
		}
		return true
	})
	if seen < 20 {
		t.Errorf("only %d sentences", seen)
	}
}
