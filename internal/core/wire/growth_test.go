package wire

import (
	"fmt"
	"testing"

	"vkloader/internal/core/variables"
	"vkloader/test/lib/inmemory"
)

// crowd returns a machine with many explicit layers that are not requested, two implicit layers and a driver.
func crowd(explicit int) *inmemory.Tree {
	world := &inmemory.Tree{Vars: map[string]string{}, Files: map[string]string{}, Directories: map[string][]string{}, Program: "/bin/p"}
	add := func(directory, name, text string) {
		world.Files[directory+"/"+name] = text
		world.Directories[directory] = append(world.Directories[directory], name)
	}
	for i := range explicit {
		add("/s/vulkan/explicit_layer.d", fmt.Sprintf("layer%d.json", i), fmt.Sprintf(`{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_BENCH_%d", "type": "GLOBAL",
    "library_path": "./layer%d.so", "api_version": "1.3.0", "implementation_version": "1", "description": "A layer that does nothing"}}`, i, i))
	}
	for _, name := range []string{"A", "B"} {
		add("/s/vulkan/implicit_layer.d", name+".json", layerText(name, `"library_path":"/a.so","disable_environment":{"NO_`+name+`":"1"}`))
	}
	add("/s/vulkan/icd.d", "d.json", `{"file_format_version":"1.0.0","ICD":{"library_path":"d.so","api_version":"1.3.9"}}`)
	return world
}

// journey records the questions of one call, each repeated as often as facts are missing.
type journey struct {
	kinds   []uint32
	quiet   uint32
	rounds  int // messages
	needs   int // facts that were asked for
	message int // bytes of all messages
}

func (j *journey) travel(t testing.TB, world *inmemory.Tree) {
	t.Helper()
	call := NewCall(linux("/s", "", "", ""))
	q := &Writer{}
	for i, kind := range j.kinds {
		q.PutQuestion(Question{Kind: kind, Quiet: j.quiet})
		if i == 0 {
			q.PutApp(App{})
			variables.Decisive(func(v variables.ID) {
				value := world.Var(v.Name(), v.Secure())
				q.PutVar(Var{S(v.Name()), flag(v.Secure()), Str{value.Value, value.Set}})
			})
		} else {
			q.PutDriver(Driver{Usable: 1, Path: S("/d.so")})
		}
		for done := false; !done; {
			message := string(q.Bytes())
			q = &Writer{}
			j.rounds++
			j.message += len(message)
			answer, ok := call.Decide(message)
			if !ok {
				t.Fatal("refused")
			}
			r, _ := Open(string(answer))
			rec, _ := r.Next()
			a, _ := rec.Answer()
			done = a.Status == AnswerDecided
			if !done {
				q.PutQuestion(Question{Kind: kind, Quiet: j.quiet})
			}
			for rec, more := r.Next(); more && !done; rec, more = r.Next() {
				j.needs++
				supply(t, q, world, rec)
			}
		}
	}
}

// supply adds the fact that a record of an answer asks for.
func supply(t testing.TB, q *Writer, world *inmemory.Tree, rec Record) {
	t.Helper()
	if n, ok := rec.NeedVar(); ok {
		v := world.Var(n.Name.Text, n.Secure != 0)
		q.PutVar(Var{n.Name, n.Secure, Str{v.Value, v.Set}})
	} else if n, ok := rec.NeedDirectory(); ok {
		f := world.Directory(n.Path.Text)
		list := Directory{Path: n.Path, Status: 1 - flag(f.Listed)}
		for _, name := range f.Names {
			list.Names = append(list.Names, S(name))
		}
		q.PutDirectory(list)
	} else if n, ok := rec.NeedFile(); ok {
		f := world.File(n.Path.Text)
		q.PutFile(File{n.Path, uint32(f.Status), S(f.Content)})
	} else if _, ok := rec.NeedExe(); ok {
		q.PutExe(Exe{Str{world.Program, world.Program != ""}})
	} else if n, ok := rec.NeedExists(); ok {
		q.PutExists(Exists{n.Path, flag(world.Exists(n.Path.Text))})
	} else {
		t.Fatalf("record %d among what is needed", rec.ID)
	}
}

// BenchmarkGrowth measures the core's time for one call, all questions included, by the number of manifests.
func BenchmarkGrowth(b *testing.B) {
	for _, call := range []struct {
		name  string
		kinds []uint32
	}{{"layers", []uint32{2}}, {"extensions", []uint32{3, 6}}, {"instance", []uint32{4, 5}}} {
		for _, n := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", call.name, n), func(b *testing.B) {
				world := crowd(n)
				j := journey{kinds: call.kinds, quiet: 1}
				b.ReportAllocs()
				for b.Loop() {
					j.travel(b, world)
				}
				b.ReportMetric(float64(j.rounds)/float64(b.N), "rounds/op")
				b.ReportMetric(float64(j.needs)/float64(b.N), "needs/op")
				b.ReportMetric(float64(j.message)/float64(b.N), "bytes/op")
			})
		}
	}
}

// TestGrowth checks that a call takes few rounds and that its work grows linearly: no file is parsed twice, and no lookup
// walks the list of all layers.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		name   string
		kinds  []uint32
		rounds int // with implicit layers, whose variables have to be asked for
		alone  int // without
	}{{"version", []uint32{1}, 4, 2}, {"layers", []uint32{2}, 4, 3}, {"extensions", []uint32{3, 6}, 5, 4}, {"instance", []uint32{4, 5}, 5, 4}} {
		per := [2]float64{}
		for i, n := range []int{200, 2000} {
			world := crowd(n)
			j := journey{kinds: c.kinds, quiet: 1}
			j.travel(t, world)
			if j.rounds != c.rounds {
				t.Errorf("%s: %d rounds, not %d", c.name, j.rounds, c.rounds)
			}
			per[i] = testing.AllocsPerRun(3, func() { j.travel(t, world) })
		}
		if per[1] > 11*per[0] || per[1] > 8*2000 {
			t.Errorf("%s: %.0f and %.0f allocations with 200 and 2000 manifests", c.name, per[0], per[1])
		}
		world := crowd(3)
		delete(world.Directories, "/s/vulkan/implicit_layer.d")
		for path := range world.Files {
			if len(path) > 25 && path[:25] == "/s/vulkan/implicit_layer." {
				delete(world.Files, path)
			}
		}
		j := journey{kinds: c.kinds}
		if j.travel(t, world); j.rounds != c.alone {
			t.Errorf("%s: %d rounds without implicit layers, not %d", c.name, j.rounds, c.alone)
		}
	}
}
