package fix

import (
	"io/fs"
	"strings"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// values is a registry in memory.
type values map[windows.ValueName]windows.Data

func (v values) Read(at windows.ValueName) (windows.Data, error) {
	data, is := v[at]
	if !is {
		return data, &fs.PathError{Op: "registry", Path: at.Name, Err: fs.ErrNotExist}
	}
	return data, nil
}
func (v values) Write(at windows.ValueName, data windows.Data) error { v[at] = data; return nil }
func (v values) Delete(at windows.ValueName) error                   { delete(v, at); return nil }

const layers = `SOFTWARE\Khronos\Vulkan\ImplicitLayers`

var (
	stale  = windows.ValueName{Hive: facts.LocalMachine, Bits: "32", Key: layers, Name: `C:\gone\"a"\obs.json`}
	off    = windows.ValueName{Hive: facts.CurrentUser, Bits: "64", Key: layers, Name: `C:\there\layer.json`}
	text   = windows.Data{Kind: 1, Bytes: []byte("0\x00\"\x00\\\x00\x00\x00")}
	number = windows.Data{Kind: 4, Bytes: []byte{1, 2, 3, 4}}
)

// The old data of a value is restored.
func TestRegistryChange(t *testing.T) {
	t.Parallel()
	m := home(t, nil)
	registry := values{stale: number, off: text}
	for _, c := range []struct {
		at windows.ValueName
		on bool
	}{{stale, false}, {off, true}} {
		if err := Change(m, registry, c.at, c.on); err != nil {
			t.Fatal(err)
		}
	}
	if _, there := registry[stale]; there || !same(registry[off], Switched) {
		t.Fatalf("%v", registry)
	}
	given, err := Undo(m, registry, false)
	if err != nil || len(given) != 2 || !same(registry[stale], number) || !same(registry[off], text) || m.Exists(UndoFile(m)) {
		t.Errorf("%q, %v, %v", given, err, registry)
	}
}

// Undo restores a value that others have changed only with force. A value with its old data stays unchanged.
func TestRegistryUndoForce(t *testing.T) {
	t.Parallel()
	m := home(t, nil)
	registry := values{stale: number, off: text}
	for _, at := range []windows.ValueName{stale, off} {
		if err := Change(m, registry, at, false); err != nil {
			t.Fatal(err)
		}
	}
	registry[stale], registry[off] = Switched, text
	if given, err := Undo(m, registry, false); err == nil || len(given) != 0 || !strings.Contains(err.Error(), "obs.json") || strings.Contains(err.Error(), "layer.json") {
		t.Errorf("%q, %v", given, err)
	}
	if _, err := Undo(m, registry, true); err != nil || !same(registry[stale], number) || !same(registry[off], text) {
		t.Errorf("%v, %v", err, registry)
	}
	if _, err := Undo(&machine.Machine{Root: m.Root, Environ: m.Environ}, nil, false); err == nil {
		t.Error("there was something to undo")
	}
}

// A value whose name has a control character stays unchanged.
func TestRegistryNotExportable(t *testing.T) {
	t.Parallel()
	m := home(t, nil)
	odd := windows.ValueName{Hive: facts.CurrentUser, Bits: "64", Key: layers, Name: "C:\\a\r\n[-HKEY_CURRENT_USER\\SOFTWARE]\r\n.json"}
	registry := values{odd: number}
	if err := Change(m, registry, odd, false); err == nil || len(registry) != 1 || m.Exists(UndoFile(m)) {
		t.Errorf("%v, %v", err, registry)
	}
}
