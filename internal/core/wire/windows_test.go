package wire

import (
	"reflect"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
)

// Facts of Windows come as they were sent; the entries of a list belong to the record before them.
func TestWindowsFacts(t *testing.T) {
	t.Parallel()
	w := &Writer{}
	w.PutRegistry(Registry{Hive: 1, Key: S("k")})
	w.PutRegistryValue(RegistryValue{S("a"), facts.RegDWORD, S("\x00\x00\x00\x00")})
	w.PutRegistryValue(RegistryValue{S("b"), facts.RegSZ, S("c\x00")})
	w.PutRegistry(Registry{Hive: 2, Key: S("k"), Status: 1})
	w.PutAdapters(Adapters{Name: S("n"), Status: 0})
	w.PutAdapterValue(AdapterValue{2, facts.RegMultiSZ, S("d\x00e\x00\x00")})
	w.PutVar(Var{Name: S("V"), Value: S("x")}) // of another kind: the list goes on after it
	w.PutAdapterValue(AdapterValue{Status: 1})
	w.PutDevices(Devices{Name: S("n"), Status: 0})
	w.PutDevice(Device{S("PCI"), 1, 2, 14, S("{c}"), 3, 1, S("f")})
	w.PutPackages(Packages{S("p"), []Str{S("/x"), S("/y")}})
	w.PutDxgi(Dxgi{0, 1})
	w.PutDxgiAdapter(DxgiAdapter{S("card"), 0x10de, 2, 3, -4})
	w.PutProcess(Process{0, 0x3000, 1})
	c := NewWindowsCall(search.Platform{})
	if !c.Add(string(w.Bytes())) {
		t.Fatal("refused")
	}
	s := &c.store
	adapters, _ := s.Adapters("n")
	devices, _ := s.Devices("n")
	dxgi, _ := s.DXGI()
	process, _ := s.Process()
	for i, pair := range [][2]any{
		{s.Registry(facts.LocalMachine, "k"), facts.Key{Opened: true, Values: []facts.Value{{Name: "a", Type: 4, Data: "\x00\x00\x00\x00"}, {Name: "b", Type: 1, Data: "c\x00"}}}},
		{s.Registry(facts.CurrentUser, "k"), facts.Key{}},
		{adapters, facts.Adapters{List: []facts.Adapter{{Status: facts.AdapterBroken, Type: 7, Data: "d\x00e\x00\x00"}, {Status: facts.AdapterNoValue}}}},
		{devices, facts.Devices{Listed: true, List: []facts.Device{{ID: "PCI", Child: true, Status: facts.DeviceMute, Problem: 14, Class: "{c}",
			Value: facts.SoftwareBroken, Type: 1, Data: "f"}}}},
		{s.Packages("p"), []string{"/x", "/y"}},
		{dxgi, facts.DXGI{Made: true, Ordered: true, List: []facts.Display{{Description: "card", Vendor: 0x10de, Device: 2, LUIDLow: 3, LUIDHigh: -4}}}},
		{process, facts.Process{Known: true, Level: 0x3000, WOW64: true}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%d: %+v, want %+v", i, pair[0], pair[1])
		}
	}
	if s.Missing() {
		t.Errorf("asked for again: %+v", s.Needs())
	}
}

// An entry without its list and a hive that there is not are malformed; a call that is not for Windows passes over all.
func TestWindowsFactsMalformed(t *testing.T) {
	t.Parallel()
	for i, put := range []func(w *Writer){
		func(w *Writer) { w.PutRegistryValue(RegistryValue{}) },
		func(w *Writer) { w.PutRegistry(Registry{Hive: 3}) },
		func(w *Writer) { w.PutPackages(Packages{}); w.PutDxgiAdapter(DxgiAdapter{}) },
		func(w *Writer) { w.PutDxgi(Dxgi{}); w.PutAdapterValue(AdapterValue{}) },
	} {
		w := &Writer{}
		put(w)
		if NewWindowsCall(search.Platform{}).Add(string(w.Bytes())) {
			t.Errorf("%d: taken", i)
		}
		if !NewCall(search.Platform{}).Add(string(w.Bytes())) {
			t.Errorf("%d: refused where nobody knows it", i)
		}
	}
}

// TestWindowsNeeds checks that every Windows fact is requested with its own record, once a round.
func TestWindowsNeeds(t *testing.T) {
	t.Parallel()
	s := facts.NewStore()
	for range 2 {
		s.Registry(facts.CurrentUser, "k")
		s.Adapters("a")
		s.Devices("d")
		s.Packages("p")
		s.DXGI()
		s.Process()
	}
	c := NewWindowsCall(search.Platform{})
	c.writeAnswer(&plan.Answer{Needs: s.TakeNeeds()})
	r, _ := Open(string(c.out.Bytes()))
	r.Next() // the answer
	var got []any
	for rec, more := r.Next(); more; rec, more = r.Next() {
		if n, ok := rec.NeedRegistry(); ok {
			got = append(got, n)
		} else if n, ok := rec.NeedAdapters(); ok {
			got = append(got, n)
		} else if n, ok := rec.NeedDevices(); ok {
			got = append(got, n)
		} else if n, ok := rec.NeedPackages(); ok {
			got = append(got, n)
		} else if n, ok := rec.NeedDxgi(); ok {
			got = append(got, n)
		} else if n, ok := rec.NeedProcess(); ok {
			got = append(got, n)
		}
	}
	want := []any{NeedRegistry{2, S("k")}, NeedAdapters{S("a")}, NeedDevices{S("d")}, NeedPackages{S("p")}, NeedDxgi{}, NeedProcess{}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	s.DXGI() // what never came is asked for again
	if got := len(s.TakeNeeds()); got != 1 {
		t.Errorf("%d needs", got)
	}
}
