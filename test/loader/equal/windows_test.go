package equal

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
)

// TestWindows checks the core of vulkan-1.dll, which has another entry package, with random questions.
func TestWindows(t *testing.T) {
	t.Parallel()
	object := translatedFrom(t, "BeginWindows")
	var calls []call
	var want [][]answer
	messages := 0
	for seed := range int64(400) {
		c := windowsCall(rand.New(rand.NewSource(seed)))
		calls, want = append(calls, c), append(want, inGoBy(newWindowsCall(), c))
		messages += len(c)
	}
	if messages < 1200 { // a decision needs at least three
		t.Errorf("only %d messages in %d calls: the questions come to nothing", messages, len(calls))
	}
	equal(t, "windows", calls, want, link(t, []string{"gcc"}, []string{"-O1", object}).inC(t, calls))
}

func newWindowsCall() *wire.Call { return wire.NewWindowsCall(search.Windows("")) }

// windowsCall creates a call on a random machine: its messages until the decision.
func windowsCall(r *rand.Rand) (c call) {
	core := newWindowsCall()
	q := &wire.Writer{}
	question := wire.Question{Kind: 1 + uint32(r.Intn(4))}
	for range 20 {
		q.PutQuestion(question)
		said := string(q.Bytes())
		c = append(c, message{'D', said})
		text, ok := core.Decide(said)
		if !ok {
			return c
		}
		answer, _ := wire.Open(string(text))
		record, _ := answer.Next()
		if a, _ := record.Answer(); a.Status == 1 {
			return c
		}
		q = &wire.Writer{}
		for record, more := answer.Next(); more; record, more = answer.Next() {
			satisfyWindows(q, r, record)
		}
	}
	return c
}

// pathIn returns one of a few paths, so that some occur twice.
func pathIn(r *rand.Rand) string {
	directory := [...]string{`C:\a`, `C:\Windows\`, `\\server\share`, `D:\späť`, "C:/x"}[r.Intn(5)]
	return directory + `\` + [...]string{"d.json", "nv-vk64.json", "igvk64.json", "amdvlk64.json", "vk_loader_settings.json", "sub", "e.json;D:\\f.json"}[r.Intn(7)]
}

const windowsDriver = `{"file_format_version":"1.0.1","ICD":{"library_path":".\\\\d.dll","api_version":"1.3.0"}}`

// satisfyWindows answers a request for a fact with a random one.
func satisfyWindows(w *wire.Writer, r *rand.Rand, record wire.Record) {
	name := func(kind string) string {
		return fmt.Sprintf(`{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_%d","type":"GLOBAL",`+
			`"library_path":"%s","api_version":"1.3.0","implementation_version":"1","description":"d","disable_environment":{"NO":"1"}}}`, r.Intn(4), kind)
	}
	if n, ok := record.NeedVar(); ok {
		v := wire.Str{}
		if strings.HasPrefix(n.Name.Text, "VK_") && r.Intn(6) == 0 {
			v = wire.S(pathIn(r))
		}
		w.PutVar(wire.Var{Name: n.Name, Secure: n.Secure, Value: v})
	} else if n, ok := record.NeedDirectory(); ok {
		w.PutDirectory(wire.Directory{Path: n.Path, Status: uint32(r.Intn(2)), Names: []wire.Str{wire.S("l.json"), wire.S("m.json")}[:r.Intn(3)]})
	} else if n, ok := record.NeedFile(); ok {
		content := [...]string{windowsDriver, name(`l.dll`), name(`x/l.dll`), `{"file_format_version":"1.0.0","settings":{"layers":[],"stderr_log":["all"]}}`, "no JSON"}[r.Intn(5)]
		w.PutFile(wire.File{Path: n.Path, Status: uint32(max(0, r.Intn(6)-4)), Content: wire.S(content)})
	} else if _, ok := record.NeedExe(); ok {
		w.PutExe(wire.Exe{Path: wire.S(`C:\p.exe`)})
	} else if n, ok := record.NeedExists(); ok {
		w.PutExists(wire.Exists{Path: n.Path, Yes: uint32(r.Intn(2))})
	} else if n, ok := record.NeedRegistry(); ok {
		w.PutRegistry(wire.Registry{Hive: n.Hive, Key: n.Key})
		for range r.Intn(5) {
			w.PutRegistryValue(wire.RegistryValue{Name: wire.S(pathIn(r)), Type: facts.RegDWORD, Data: wire.S([...]string{"\x00\x00\x00\x00", "\x01\x00\x00\x00"}[r.Intn(2)])})
		}
	} else if n, ok := record.NeedAdapters(); ok {
		w.PutAdapters(wire.Adapters{Name: n.Name, Status: uint32(r.Intn(3))})
		for range r.Intn(3) {
			w.PutAdapterValue(wire.AdapterValue{Status: uint32(r.Intn(3)), Type: [...]uint32{1, 7, 4}[r.Intn(3)], Data: wire.S(pathIn(r) + "\x00" + pathIn(r))})
		}
	} else if n, ok := record.NeedDevices(); ok {
		w.PutDevices(wire.Devices{Name: n.Name})
		for range r.Intn(6) {
			w.PutDevice(wire.Device{Id: wire.S("PCI"), Child: uint32(r.Intn(2)), Status: uint32(max(0, r.Intn(6)-3)), Problem: uint32(r.Intn(3)) * 7,
				Class: wire.S([...]string{"{5C4C3332-344d-483c-8739-259e934c9cc8}", "{}"}[r.Intn(2)]), ValueStatus: uint32(max(0, r.Intn(6)-2)),
				Type: [...]uint32{1, 7, 4}[r.Intn(3)], Data: wire.S(pathIn(r) + "\x00")})
		}
	} else if n, ok := record.NeedPackages(); ok {
		w.PutPackages(wire.Packages{Family: n.Family, Paths: []wire.Str{wire.S(`C:\pkg`)}[:r.Intn(2)]})
	} else if _, ok := record.NeedDxgi(); ok {
		w.PutDxgi(wire.Dxgi{Status: uint32(r.Intn(2))})
		w.PutDxgiAdapter(wire.DxgiAdapter{Vendor: [...]uint32{0x10de, 0x8086, 0x1002, 0x1414}[r.Intn(4)]})
	} else if _, ok := record.NeedProcess(); ok {
		w.PutProcess(wire.Process{Status: uint32(r.Intn(2)), Level: uint32(r.Intn(5)) * 0x1000, Wow64: uint32(r.Intn(2))})
	}
}
