package wire

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
)

func sample() *Writer {
	w := &Writer{}
	w.PutQuestion(Question{Kind: 4, Terminator: 1})
	w.PutVar(Var{S("HOME"), 1, Str{}})
	w.PutVar(Var{S(""), 0, S("")})
	w.PutDirectory(Directory{S("/x"), 0, []Str{S("a.json"), {}, S("b.json")}})
	w.PutFile(File{S("/x/a.json"), 2, S("{\x00}")})
	w.PutDriver(Driver{Index: 0x80000000, ExtResult: -4, Path: S("é")})
	return w
}

func TestBothWays(t *testing.T) {
	r, ok := Open(string(sample().Bytes()))
	if !ok {
		t.Fatal("no message")
	}
	var ids []uint32
	for {
		rec, more := r.Next()
		if !more {
			break
		}
		ids = append(ids, rec.ID)
		switch rec.ID {
		case IDVar:
			if v, ok := rec.Var(); !ok || v.Value.Set != (v.Name.Text == "") {
				t.Error(v, ok)
			}
		case IDDirectory:
			if v, ok := rec.Directory(); !ok || len(v.Names) != 3 || v.Names[1].Set || v.Names[2].Text != "b.json" {
				t.Error(v, ok)
			}
		case IDFile:
			if v, ok := rec.File(); !ok || v.Status != 2 || v.Content.Text != "{\x00}" {
				t.Error(v, ok)
			}
			if _, ok := rec.Directory(); ok {
				t.Error("a file was taken for a directory")
			}
		case IDDriver:
			if v, ok := rec.Driver(); !ok || v.ExtResult != -4 || v.Path.Text != "é" {
				t.Error(v, ok)
			}
		}
	}
	if r.Bad() || len(ids) != 6 {
		t.Error(ids)
	}
}

// decide asks one question of a call of its own.
func decide(message string) ([]byte, bool) { return NewCall(search.Linux()).Decide(message) }

// Every message that is cut or damaged is refused or read within its bounds.
func TestDamaged(t *testing.T) {
	good := sample().Bytes()
	for cut := range good {
		decide(string(good[:cut]))
	}
	for at := range good {
		bad := append([]byte(nil), good...)
		bad[at] ^= 0xff
		decide(string(bad))
	}
}

// TestCSide checks that the C side reads the messages of the Go side, and writes the same bytes again.
func TestCSide(t *testing.T) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "echo")
	if out, err := exec.Command(cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I../../../spine", "-o", program, "testdata/echo.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	in := filepath.Join(dir, "in")
	want := sample().Bytes()
	if err := os.WriteFile(in, want, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(program, in).Output()
	if err != nil || string(got) != string(want) {
		t.Errorf("%v\n%q\n%q", err, got, want)
	}
	for cut := 0; cut < len(want); cut += 3 {
		os.WriteFile(in, want[:cut], 0o600)
		if _, err := exec.Command(program, in).Output(); err == nil {
			t.Errorf("a message cut at %d was accepted", cut)
		}
	}
}

// unset is the fact that a variable is not set.
func unset(v variables.ID) Var {
	var secure uint32
	if v.Secure() {
		secure = 1
	}
	return Var{Name: S(v.Name()), Secure: secure}
}

// TestFirstVariables checks the variables that the spine sends unasked. Without them every decision asks for exactly
// these; with them no decision asks for a variable in its first answer.
func TestFirstVariables(t *testing.T) {
	ask := func(kind plan.Kind, given bool) (names []string) {
		q := &Writer{}
		q.PutQuestion(Question{Kind: uint32(kind)})
		if given {
			variables.Decisive(func(v variables.ID) { q.PutVar(unset(v)) })
		}
		answer, ok := decide(string(q.Bytes()))
		if !ok {
			t.Fatal("no answer")
		}
		r, _ := Open(string(answer))
		for rec, more := r.Next(); more; rec, more = r.Next() {
			if v, ok := rec.NeedVar(); ok {
				names = append(names, v.Name.Text)
			}
		}
		return names
	}
	var want []string
	variables.Decisive(func(v variables.ID) { want = append(want, v.Name()) })
	for _, kind := range []plan.Kind{plan.Version, plan.Layers, plan.Extensions, plan.Instance} {
		if got := ask(kind, false); !slices.Equal(got, want) {
			t.Errorf("question %d asks for %v", kind, got)
		}
		if got := ask(kind, true); len(got) != 0 {
			t.Errorf("question %d asks for %v, too", kind, got)
		}
	}
}

// holds: G-9
func TestPanicQuestion(t *testing.T) {
	w := &Writer{}
	w.PutQuestion(Question{Kind: KindPanic})
	defer func() {
		if p := recover(); p != "a question of kind 0xffffffff was asked" {
			t.Errorf("panic %v", p)
		}
	}()
	decide(string(w.Bytes()))
}

// FuzzDecide sends the core arbitrary questions, and arbitrary answers to its needs.
func FuzzDecide(f *testing.F) {
	f.Add(string(sample().Bytes()), "{}", uint8(4))
	f.Add("", `{"file_format_version":"1.2.0","layers":[{"name":"VK_LAYER_x","type":"INSTANCE","api_version":"1.1","implementation_version":"1","description":"","component_layers":["VK_LAYER_x"],"disable_environment":{"A":"1"}}]}`, uint8(4))
	f.Add("", `{"file_format_version":"1.0.0","settings":{"layers":[{"control":"unordered_layer_location"}]}}`, uint8(2))
	f.Fuzz(func(t *testing.T, message, content string, kind uint8) {
		if r, ok := Open(message); ok {
			panics := false
			for rec, more := r.Next(); more; rec, more = r.Next() {
				if q, ok := rec.Question(); ok {
					panics = q.Kind == KindPanic
				}
			}
			if !panics {
				decide(message)
			}
		}
		q, call := &Writer{}, NewCall(search.Linux())
		q.PutQuestion(Question{Kind: uint32(kind%6) + 1, LayerName: Str{"VK_LAYER_x", kind&64 != 0}})
		q.PutApp(App{LayerCount: 1, Layers: []Str{S("VK_LAYER_x")}})
		for range 20 {
			answer, ok := call.Decide(string(q.Bytes()))
			if !ok {
				t.Fatal("refused")
			}
			r, _ := Open(string(answer))
			rec, _ := r.Next()
			if a, ok := rec.Answer(); !ok || a.Status == 1 {
				if !ok {
					t.Fatal("no answer record")
				}
				return
			}
			for rec, more := r.Next(); more; rec, more = r.Next() {
				if n, ok := rec.NeedVar(); ok {
					q.PutVar(Var{Name: n.Name, Secure: n.Secure, Value: Str{"VK_LAYER_x", kind&128 != 0}})
				}
				if n, ok := rec.NeedDirectory(); ok {
					q.PutDirectory(Directory{Path: n.Path, Names: []Str{S("a.json")}})
				}
				if n, ok := rec.NeedFile(); ok {
					q.PutFile(File{Path: n.Path, Content: S(content)})
				}
				if _, ok := rec.NeedGraphics(); ok {
					q.PutGraphics(Graphics{Devices: []Str{S("PCI_ID=1002:1\n")}, Power: []Str{S(content)}})
				}
				if _, ok := rec.NeedService(); ok {
					q.PutService(Service{Status: uint32(kind>>5) & 1, Place: S("/run/s"), Index: S(content),
						Answer: S(`{"id":1,"ok":{"index":{"size":` + strconv.Itoa(len(content)) + `}},"fds":["index"]}`)})
				}
				if _, ok := rec.NeedExe(); ok {
					q.PutExe(Exe{S("/bin/x")})
				}
				if n, ok := rec.NeedExists(); ok {
					q.PutExists(Exists{n.Path, uint32(kind>>5) & 1})
				}
			}
		}
		t.Fatal("never decided")
	})
}
