package wire

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
)

// NewWindowsCall begins a call that may ask for Windows facts. Only programs that use it contain the code for them.
func NewWindowsCall(platform search.Platform) *Call {
	c := NewCall(platform)
	c.read, c.ask = (&windowsReader{}).read, askWindows
	return c
}

// windowsReader reads the records of Windows facts. A list entry belongs to the list record before it.
type windowsReader struct {
	add func(s *facts.Store, rec Record) bool // adds an entry to the open list; nil if no list is open
}

// read stores the fact of a record. It returns false if the record is malformed, or is a list entry without a list.
func (r *windowsReader) read(rec Record, s *facts.Store) (ok bool) {
	switch rec.ID {
	case IDRegistryValue, IDAdapterValue, IDDevice, IDDxgiAdapter:
		return r.add != nil && r.add(s, rec)
	case IDRegistry:
		v, fits := rec.Registry()
		hive, name, key := facts.Hive(v.Hive), v.Key.Text, facts.Key{Opened: v.Status == RegistryEnumerated}
		s.SetRegistry(hive, name, key)
		r.add = func(s *facts.Store, rec Record) bool {
			v, ok := rec.RegistryValue()
			key.Values = append(key.Values, facts.Value{Name: v.Name.Text, Type: v.Type, Data: v.Data.Text})
			s.SetRegistry(hive, name, key)
			return ok
		}
		return fits && (hive == facts.LocalMachine || hive == facts.CurrentUser)
	case IDAdapters:
		v, fits := rec.Adapters()
		name, all := v.Name.Text, facts.Adapters{Status: facts.AdaptersStatus(v.Status)}
		s.SetAdapters(name, all)
		r.add = func(s *facts.Store, rec Record) bool {
			v, ok := rec.AdapterValue()
			all.List = append(all.List,
				facts.Adapter{Status: facts.AdapterStatus(v.Status), Type: v.Type, Data: v.Data.Text})
			s.SetAdapters(name, all)
			return ok
		}
		return fits
	case IDDevices:
		v, fits := rec.Devices()
		name, all := v.Name.Text, facts.Devices{Listed: v.Status == DevicesListed}
		s.SetDevices(name, all)
		r.add = func(s *facts.Store, rec Record) bool {
			v, ok := rec.Device()
			all.List = append(all.List,
				facts.Device{ID: v.Id.Text, Child: v.Child != 0, Status: facts.DeviceStatus(v.Status),
					Problem: v.Problem, Class: v.Class.Text, Value: facts.SoftwareStatus(v.ValueStatus), Type: v.Type,
					Data: v.Data.Text})
			s.SetDevices(name, all)
			return ok
		}
		return fits
	case IDDxgi:
		v, fits := rec.Dxgi()
		all := facts.DXGI{Made: v.Status == DxgiListed, Ordered: v.Ordered != 0}
		s.SetDXGI(all)
		r.add = func(s *facts.Store, rec Record) bool {
			v, ok := rec.DxgiAdapter()
			all.List = append(all.List,
				facts.Display{Description: v.Description.Text, Vendor: v.Vendor, Device: v.Device,
					LUIDLow: v.LuidLow, LUIDHigh: v.LuidHigh})
			s.SetDXGI(all)
			return ok
		}
		return fits
	case IDPackages:
		v, fits := rec.Packages()
		s.SetPackages(v.Family.Text, texts(v.Paths))
		return fits
	case IDProcess:
		v, fits := rec.Process()
		s.SetProcess(facts.Process{Known: v.Status == ProcessLevelKnown, Level: v.Level, WOW64: v.Wow64 != 0})
		return fits
	}
	return true // unknown records are ignored
}

// askWindows writes a need for a Windows fact.
func askWindows(w *Writer, n facts.Need) {
	switch n.Kind {
	case facts.KindRegistry:
		w.PutNeedRegistry(NeedRegistry{uint32(n.Hive), S(n.Name)})
	case facts.KindAdapters:
		w.PutNeedAdapters(NeedAdapters{S(n.Name)})
	case facts.KindDevices:
		w.PutNeedDevices(NeedDevices{S(n.Name)})
	case facts.KindPackages:
		w.PutNeedPackages(NeedPackages{S(n.Name)})
	case facts.KindDXGI:
		w.PutNeedDxgi(NeedDxgi{})
	case facts.KindProcess:
		w.PutNeedProcess(NeedProcess{})
	}
}
