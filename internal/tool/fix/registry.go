package fix

import (
	"errors"
	"io/fs"
	"slices"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/exit"
)

// Registry reads and writes registry values. Its error for a missing value is fs.ErrNotExist.
type Registry interface {
	Read(windows.ValueName) (windows.Data, error)
	Write(windows.ValueName, windows.Data) error
	Delete(windows.ValueName) error
}

// keptValue is a registry value before and after a change.
type keptValue struct {
	Value  windows.ValueName `json:"value"`
	Before windows.Data      `json:"before"`
	After  *windows.Data     `json:"after"` // nil: deleted
}

// Switched is the data of an enabled value (WIN-036).
var Switched = windows.Data{Kind: 4, Bytes: []byte{0, 0, 0, 0}}

// Change deletes a value or, with on, sets it to Switched. It first saves the old data in the undo file.
func Change(m *machine.Machine, registry Registry, value windows.ValueName, on bool) error {
	if !value.Exportable() {
		return exit.Unable("%s: the name has a control character", value)
	}
	undo, err := readOrBegin(m)
	if err != nil {
		return err
	}
	now, err := registry.Read(value)
	if err != nil {
		return exit.Unable("%w", err)
	}
	entry := keptValue{Value: value, Before: now}
	if on {
		entry.After = &Switched
	}
	if at := slices.IndexFunc(undo.Values, func(k keptValue) bool { return k.Value == value }); at >= 0 {
		if earlier := &undo.Values[at]; earlier.After != nil && same(*earlier.After, now) {
			entry.Before = earlier.Before
		}
		undo.Values = slices.Delete(undo.Values, at, at+1)
	}
	undo.Values = append(undo.Values, entry)
	if err := undo.write(m); err != nil {
		return err
	}
	if on {
		return registry.Write(value, Switched)
	}
	return registry.Delete(value)
}

func same(a, b windows.Data) bool { return a.Kind == b.Kind && slices.Equal(a.Bytes, b.Bytes) }

// is returns the current data of a value; nil: it does not exist.
func is(registry Registry, value windows.ValueName) (*windows.Data, error) {
	now, err := registry.Read(value)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &now, err
}

// changedValues returns the values that differ from both their saved data and the data that Change set.
func (u *undo) changedValues(registry Registry) (since []string, err error) {
	for _, k := range u.Values {
		now, err := is(registry, k.Value)
		if err != nil {
			return nil, err
		}
		left := now == nil && k.After == nil || now != nil && k.After != nil && same(*now, *k.After)
		if !left && (now == nil || !same(*now, k.Before)) {
			since = append(since, k.Value.String())
		}
	}
	return since, nil
}

func (u *undo) restore(registry Registry) (values []string, err error) {
	for _, k := range u.Values {
		now, err := is(registry, k.Value)
		if err == nil && (now == nil || !same(*now, k.Before)) {
			err = registry.Write(k.Value, k.Before)
		}
		if err != nil {
			return values, err
		}
		values = append(values, k.Value.String())
	}
	return values, nil
}
