package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
)

// holdingTest is a test function that holds statements.
type holdingTest struct {
	File string // relative to the top directory
	Name string
}

// holders maps ids to the tests that name them.
type holders map[string][]holdingTest

// readTests reads the "holds:" comments of all *_test.go files below top. A comment belongs to the function that contains
// it, or to the next one, which is a test or a check that many tests call. Every unknown id is an error.
func readTests(top string, order idOrder) (holders, []error) {
	holds := holders{}
	var problems []error
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != top && (name == "build" || name == "vendor" || name == "testdata" ||
			strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		problems = append(problems, fileTests(top, path, order, holds)...)
		return nil
	})
	if err != nil {
		problems = append(problems, err)
	}
	for id, tests := range holds {
		sort.Slice(tests, func(i, j int) bool {
			if tests[i].File != tests[j].File {
				return tests[i].File < tests[j].File
			}
			return tests[i].Name < tests[j].Name
		})
		holds[id] = tests
	}
	return holds, problems
}

// fileTests adds the tests of one file to holds.
func fileTests(top, path string, order idOrder, holds holders) []error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []error{err}
	}
	relative, err := filepath.Rel(top, path)
	if err != nil {
		return []error{err}
	}
	var problems []error
	for _, group := range file.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "holds:")
			if !ok {
				continue
			}
			function := owner(file, comment.Pos())
			if function == "" {
				problems = append(problems, fmt.Errorf("%s: no test follows this holds", files.Position(comment.Pos())))
				continue
			}
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
				ids, err := order.expand(word)
				if err != nil {
					problems = append(problems, fmt.Errorf("%s: %w", files.Position(comment.Pos()), err))
					continue
				}
				for _, id := range ids {
					holds.add(id, holdingTest{File: filepath.ToSlash(relative), Name: function})
				}
			}
		}
	}
	return problems
}

func (h holders) add(id string, test holdingTest) {
	for _, known := range h[id] {
		if known == test {
			return
		}
	}
	h[id] = append(h[id], test)
}

func owner(file *ast.File, at token.Pos) string {
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if ok && function.End() > at {
			return function.Name.Name
		}
	}
	return ""
}
