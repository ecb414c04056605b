package inmemory

import (
	"strconv"
	"testing"

	"vkloader/internal/core/facts"
)

// holds: PATH-17
func TestTree(t *testing.T) {
	tree := &Tree{Vars: map[string]string{"A": "1"}, Files: map[string]string{"/d/b.json": "b", "/d/a.json": "a", "/d/s/c.json": "c", "/d/x": "", "/f/.json": "", "g.json": ""}, Elevated: true}
	if f := tree.Directory("/d"); !f.Listed || len(f.Names) != 2 || f.Names[0] != "a.json" || tree.Directory("/e").Listed {
		t.Error(f)
	}
	if f := tree.Directory("/f/"); len(f.Names) != 1 || f.Names[0] != ".json" {
		t.Error(f)
	}
	if f := tree.Directory(""); len(f.Names) != 1 || f.Names[0] != "g.json" {
		t.Error(f)
	}
	if tree.Var("A", true).Set || !tree.Var("A", false).Set || tree.Exe().Known {
		t.Error("variables")
	}
	asked := 0
	if !facts.Resolve(facts.NewStore(), tree, func(s *facts.Store) { asked++; s.ManifestVariable("A"); s.File("/d/a.json") }) || asked != 2 {
		t.Error(asked)
	}
	if facts.Resolve(facts.NewStore(), tree, func(s *facts.Store) { asked++; s.Exists(strconv.Itoa(asked)) }) {
		t.Error("a decision without end came to one")
	}
}
