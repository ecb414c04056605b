package probe

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/wire"
)

// readKey reads a registry key from an answer; false: the answer has none.
func readKey(answer string) (k facts.Key, ok bool) {
	ok = eachRecord(answer, func(r wire.Record) {
		if v, is := r.Registry(); is {
			k.Opened = v.Status == wire.RegistryEnumerated
		} else if v, is := r.RegistryValue(); is {
			k.Values = append(k.Values, facts.Value{Name: v.Name.Text, Type: v.Type, Data: v.Data.Text})
		}
	}, wire.IDRegistry)
	return k, ok
}

func readAdapters(answer string) (a facts.Adapters, ok bool) {
	ok = eachRecord(answer, func(r wire.Record) {
		if v, is := r.Adapters(); is {
			a.Status = facts.AdaptersStatus(v.Status)
		} else if v, is := r.AdapterValue(); is {
			a.List = append(a.List, facts.Adapter{Status: facts.AdapterStatus(v.Status), Type: v.Type, Data: v.Data.Text})
		}
	}, wire.IDAdapters)
	return a, ok
}

func readDevices(answer string) (d facts.Devices, ok bool) {
	ok = eachRecord(answer, func(r wire.Record) {
		if v, is := r.Devices(); is {
			d.Listed = v.Status == wire.DevicesListed
		} else if v, is := r.Device(); is {
			d.List = append(d.List, facts.Device{ID: v.Id.Text, Child: v.Child != 0, Status: facts.DeviceStatus(v.Status),
				Problem: v.Problem, Class: v.Class.Text, Value: facts.SoftwareStatus(v.ValueStatus), Type: v.Type, Data: v.Data.Text})
		}
	}, wire.IDDevices)
	return d, ok
}

func readDXGI(answer string) (d facts.DXGI, ok bool) {
	ok = eachRecord(answer, func(r wire.Record) {
		if v, is := r.Dxgi(); is {
			d.Made, d.Ordered = v.Status == wire.DxgiListed, v.Ordered != 0
		} else if v, is := r.DxgiAdapter(); is {
			d.List = append(d.List, facts.Display{Description: v.Description.Text, Vendor: v.Vendor, Device: v.Device,
				LUIDLow: v.LuidLow, LUIDHigh: v.LuidHigh})
		}
	}, wire.IDDxgi)
	return d, ok
}

func readPackages(answer string) (paths []string, ok bool) {
	ok = eachRecord(answer, func(r wire.Record) {
		if v, is := r.Packages(); is {
			for _, path := range v.Paths {
				paths = append(paths, path.Text)
			}
		}
	}, wire.IDPackages)
	return paths, ok
}

func readProcess(answer string) (p facts.Process, ok bool) {
	ok = eachRecord(answer, func(r wire.Record) {
		if v, is := r.Process(); is {
			p = facts.Process{Known: v.Status == wire.ProcessLevelKnown, Level: v.Level, WOW64: v.Wow64 != 0}
		}
	}, wire.IDProcess)
	return p, ok
}

// eachRecord calls take with each record of an answer. It returns false if the first record is not of the kind first.
func eachRecord(answer string, take func(wire.Record), first uint32) bool {
	in, ok := wire.Open(answer)
	if !ok {
		return false
	}
	for n := 0; ; n++ {
		r, more := in.Next()
		if !more {
			return n > 0 && !in.Bad()
		}
		if n == 0 && r.ID != first {
			return false
		}
		take(r)
	}
}
