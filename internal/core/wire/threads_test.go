package wire

import (
	"fmt"
	"testing"

	"vkloader/internal/core/search"
	"vkloader/internal/decide/workers"
)

// ask answers the core's needs from a machine with one layer file, and returns the decision.
func ask(kind uint32, content string) string {
	q, call := &Writer{}, NewCall(search.Linux())
	q.PutQuestion(Question{Kind: kind, LayerName: S("VK_LAYER_x")})
	q.PutApp(App{LayerCount: 1, Layers: []Str{S("VK_LAYER_x")}})
	for range 20 {
		bytes, ok := call.Decide(string(q.Bytes()))
		answer := string(bytes)
		r, _ := Open(answer)
		rec, _ := r.Next()
		if a, there := rec.Answer(); !ok || !there || a.Status == AnswerDecided {
			return fmt.Sprint(ok, there, len(answer), answer[min(len(answer), 32):])
		}
		for rec, more := r.Next(); more; rec, more = r.Next() {
			if n, ok := rec.NeedVar(); ok {
				q.PutVar(Var{Name: n.Name, Secure: n.Secure})
			} else if n, ok := rec.NeedDirectory(); ok {
				q.PutDirectory(Directory{Path: n.Path, Names: []Str{S("a.json")}})
			} else if n, ok := rec.NeedFile(); ok {
				q.PutFile(File{Path: n.Path, Content: S(content)})
			} else if _, ok := rec.NeedExe(); ok {
				q.PutExe(Exe{S("/bin/x")})
			} else if n, ok := rec.NeedExists(); ok {
				q.PutExists(Exists{n.Path, 1})
			}
		}
	}
	return "never decided"
}

// TestThreadsDecideApart checks that concurrent calls get the same answer as a single one: calls share no state. make test
// runs it under the race detector.
//
// holds: G-7 THR-007
func TestThreadsDecideApart(t *testing.T) {
	t.Parallel()
	content := func(i int) string {
		return fmt.Sprintf(`{"file_format_version":"1.2.0","layers":[{"name":"VK_LAYER_x","type":"INSTANCE","library_path":"lib%d.so",`+
			`"api_version":"1.1","implementation_version":"%d","description":"","disable_environment":{"A":"1"}}],"ICD":{"library_path":"d.so",`+
			`"api_version":"1.1.%d"}}`, i%3, i%3, i%3)
	}
	const kinds = 6
	var want [kinds][3]string
	for kind := range kinds {
		for i := range 3 {
			want[kind][i] = ask(uint32(kind)+1, content(i))
		}
	}
	if want[3][0] == want[3][1] {
		t.Fatal("the files make no difference")
	}
	var group workers.Group
	for thread := range 8 {
		group.Go(func() {
			for i := range 30 {
				kind := (thread + i) % kinds
				if got := ask(uint32(kind)+1, content(thread)); got != want[kind][thread%3] {
					t.Errorf("thread %d, question %d: another answer", thread, kind+1)
				}
			}
		})
	}
	group.Wait()
}
