package facts

import (
	"strconv"
	"testing"
)

// A store answers the same whether its lists are short or long.
func TestStore(t *testing.T) {
	for _, n := range []int{1, 2, indexFrom - 1, indexFrom, indexFrom + 1, 500} {
		s := NewStore()
		for i := range n {
			name := strconv.Itoa(i)
			s.SetVar(name, i%2 == 0, Var{"first", true})
			s.SetVar(name, i%2 == 0, Var{name, true})
			s.SetDirectory(name, Directory{Listed: true, Names: []string{name}})
			s.SetFile(name, File{Content: name})
			s.SetExists(name, true)
		}
		for i := range n {
			name := strconv.Itoa(i)
			v := s.ManifestVariable(name)
			if i%2 == 0 {
				v = s.variable(name, true)
			}
			f, ok := s.File(name)
			if v.Value != name || !ok || f.Content != name || s.Directory(name).Names[0] != name || !s.Exists(name) {
				t.Fatalf("%d of %d: %v %v", i, n, v, f)
			}
		}
		var other int
		for _, need := range s.TakeNeeds() { // each name was asked for once as the other kind of variable
			if need.Kind == KindVar && !need.Secure {
				other++
			}
		}
		if other != (n+1)/2 {
			t.Errorf("%d of %d", other, n)
		}
		if long := n >= indexFrom; (s.files.index != nil) != long { // otherwise the work grows with the square
			t.Errorf("%d names: an index is %v", n, !long)
		}
		for range 2 {
			for i := range n {
				s.Exists("x" + strconv.Itoa(i))
				s.Exe()
			}
		}
		if got := len(s.TakeNeeds()); got != n+1 || s.Missing() {
			t.Errorf("%d needs of %d", got, n+1)
		}
		s.Exists("x0") // a fact that Fetch did not add is requested again
		if got := len(s.TakeNeeds()); got != 1 {
			t.Errorf("%d needs of 1", got)
		}
	}
}

// The paths of a directory's entries are put together once.
func TestPaths(t *testing.T) {
	s := NewStore()
	if paths, listed := s.Paths("/d", '/'); paths != nil || listed || len(s.TakeNeeds()) != 1 {
		t.Error(paths, listed)
	}
	s.SetDirectory("/d", Directory{Listed: true, Names: []string{"a.json", "b.json"}})
	first, listed := s.Paths("/d", '/')
	again, _ := s.Paths("/d", '/')
	if len(first) != 2 || first[1] != "/d/b.json" || !listed || &first[0] != &again[0] {
		t.Error(first, listed)
	}
}
