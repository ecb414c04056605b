package probe

import (
	"reflect"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/wire"
)

// said returns an answer of the probe.
func said(put func(w *wire.Writer)) string {
	var w wire.Writer
	put(&w)
	return string(w.Bytes())
}

// Every fact arrives as it was sent, with its list. An answer with another record, or a cut answer, gives no fact.
func TestAnswers(t *testing.T) {
	t.Parallel()
	answers := map[string]struct {
		answer string
		take   func(string) (any, bool)
		want   any
	}{
		"key": {said(func(w *wire.Writer) {
			w.PutRegistry(wire.Registry{Status: wire.RegistryEnumerated, Key: wire.S("k")})
			w.PutRegistryValue(wire.RegistryValue{Name: wire.S("a.json"), Type: 4, Data: wire.S("\x00\x00\x00\x00")})
			w.PutRegistryValue(wire.RegistryValue{Name: wire.S("b.json"), Type: 1, Data: wire.S("x")})
		}), func(s string) (any, bool) { return results(readKey(s)) },
			facts.Key{Opened: true, Values: []facts.Value{{Name: "a.json", Type: 4, Data: "\x00\x00\x00\x00"}, {Name: "b.json", Type: 1, Data: "x"}}}},
		"no key": {said(func(w *wire.Writer) { w.PutRegistry(wire.Registry{Status: wire.RegistryNotOpened, Key: wire.S("k")}) }),
			func(s string) (any, bool) { return results(readKey(s)) }, facts.Key{}},
		"adapters": {said(func(w *wire.Writer) {
			w.PutAdapters(wire.Adapters{Name: wire.S("n")})
			w.PutAdapterValue(wire.AdapterValue{Type: 7, Data: wire.S("d\x00")})
			w.PutAdapterValue(wire.AdapterValue{Status: uint32(facts.AdapterNoValue)})
		}), func(s string) (any, bool) { return results(readAdapters(s)) },
			facts.Adapters{List: []facts.Adapter{{Type: 7, Data: "d\x00"}, {Status: facts.AdapterNoValue}}}},
		"devices": {said(func(w *wire.Writer) {
			w.PutDevices(wire.Devices{Name: wire.S("n"), Status: wire.DevicesListed})
			w.PutDevice(wire.Device{Id: wire.S("PCI"), Child: 1, Problem: 14, Class: wire.S("{c}"), ValueStatus: 1, Type: 1, Data: wire.S("d")})
		}), func(s string) (any, bool) { return results(readDevices(s)) },
			facts.Devices{Listed: true, List: []facts.Device{{ID: "PCI", Child: true, Problem: 14, Class: "{c}", Value: 1, Type: 1, Data: "d"}}}},
		"DXGI": {said(func(w *wire.Writer) {
			w.PutDxgi(wire.Dxgi{Status: wire.DxgiListed, Ordered: 1})
			w.PutDxgiAdapter(wire.DxgiAdapter{Description: wire.S("card"), Vendor: 0x10de, Device: 2, LuidLow: 3, LuidHigh: -4})
		}), func(s string) (any, bool) { return results(readDXGI(s)) },
			facts.DXGI{Made: true, Ordered: true, List: []facts.Display{{Description: "card", Vendor: 0x10de, Device: 2, LUIDLow: 3, LUIDHigh: -4}}}},
		"packages": {said(func(w *wire.Writer) {
			w.PutPackages(wire.Packages{Family: wire.S("f"), Paths: []wire.Str{wire.S("p"), wire.S("q")}})
		}),
			func(s string) (any, bool) { return results(readPackages(s)) }, []string{"p", "q"}},
		"process": {said(func(w *wire.Writer) {
			w.PutProcess(wire.Process{Status: wire.ProcessLevelKnown, Level: facts.HighIntegrity, Wow64: 1})
		}), func(s string) (any, bool) { return results(readProcess(s)) }, facts.Process{Known: true, Level: facts.HighIntegrity, WOW64: true}},
	}
	for name, c := range answers {
		got, ok := c.take(c.answer)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
		for length := range len(c.answer) {
			if _, ok := c.take(c.answer[:length]); ok {
				t.Errorf("%s: the first %d bytes of %d are taken", name, length, len(c.answer))
			}
		}
		for other, o := range answers {
			if _, ok := c.take(o.answer); ok && other != name && name+other != "keyno key" && name+other != "no keykey" {
				t.Errorf("the answer about %s is taken for one about %s", other, name)
			}
		}
	}
}

func results[T any](value T, ok bool) (any, bool) { return value, ok }
