package wire

import (
	"testing"

	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

// BenchmarkVersion decides what vkEnumerateInstanceVersion asks on a machine with one implicit layer, all rounds.
func BenchmarkVersion(b *testing.B) {
	manifest := `{"file_format_version":"1.0.0","layer":{"name":"VK_LAYER_x","type":"GLOBAL","library_path":"libx.so","api_version":"1.3.211",` +
		`"implementation_version":"1","description":"a layer","functions":{"vkNegotiateLoaderLayerInterfaceVersion":"x"},"disable_environment":{"NO_X":"1"}}}`
	rounds := 0
	b.ReportAllocs()
	for b.Loop() {
		q, call := &Writer{}, NewCall(search.Linux())
		q.PutQuestion(Question{Kind: 1})
		variables.Decisive(func(v variables.ID) { q.PutVar(unset(v)) })
		for {
			rounds++
			answer, _ := call.Decide(string(q.Bytes()))
			r, _ := Open(string(answer))
			rec, _ := r.Next()
			if a, _ := rec.Answer(); a.Status == AnswerDecided {
				break
			}
			for rec, more := r.Next(); more; rec, more = r.Next() {
				if n, ok := rec.NeedVar(); ok {
					q.PutVar(Var{Name: n.Name, Secure: n.Secure})
				} else if n, ok := rec.NeedDirectory(); ok {
					f := Directory{Path: n.Path, Status: DirectoryNotOpened}
					if n.Path.Text == "/usr/share/vulkan/implicit_layer.d" {
						f = Directory{Path: n.Path, Names: []Str{S("x.json")}}
					}
					q.PutDirectory(f)
				} else if n, ok := rec.NeedFile(); ok {
					q.PutFile(File{Path: n.Path, Content: S(manifest)})
				} else if n, ok := rec.NeedExists(); ok {
					q.PutExists(Exists{n.Path, 0})
				} else {
					q.PutExe(Exe{S("/bin/x")})
				}
			}
		}
	}
	b.ReportMetric(float64(rounds)/float64(b.N), "rounds/op")
}
