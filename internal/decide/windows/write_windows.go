package windows

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

var setValueEx = windows.NewLazySystemDLL("advapi32.dll").NewProc("RegSetValueExW")

// Running is the registry of the running system.
type Running struct{}

// open opens the key of a value. The error for a missing key wraps fs.ErrNotExist.
func (v ValueName) open(access uint32) (registry.Key, error) {
	k, err := registry.OpenKey(hiveKey(v.Hive), v.Key, access|view(v.Bits))
	return k, v.wrapError(err)
}

// wrapError returns an error that names the value and wraps err, or fs.ErrNotExist for a missing key.
func (v ValueName) wrapError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, registry.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return &fs.PathError{Op: "registry", Path: v.String(), Err: err}
}

// Read returns the data of a value.
func (Running) Read(v ValueName) (Data, error) {
	k, err := v.open(registry.QUERY_VALUE)
	if err != nil {
		return Data{}, err
	}
	defer k.Close()
	data, err := dataOf(k, v.Name)
	return data, v.wrapError(err)
}

// Write sets the data of a value, and creates a missing key.
func (Running) Write(v ValueName, data Data) error {
	k, _, err := registry.CreateKey(hiveKey(v.Hive), v.Key, registry.SET_VALUE|view(v.Bits))
	if err != nil {
		return v.wrapError(err)
	}
	defer k.Close()
	name, err := windows.UTF16PtrFromString(v.Name)
	if err != nil {
		return v.wrapError(err)
	}
	bytes := append([]byte{}, data.Bytes...)
	room := append(bytes, 0) // Write needs an address even for no bytes
	if result, _, _ := setValueEx.Call(uintptr(k), pointer(name), 0, uintptr(data.Kind), pointer(&room[0]),
		uintptr(len(bytes))); result != 0 {
		return v.wrapError(syscall.Errno(result))
	}
	return nil
}

// Delete removes a value.
func (Running) Delete(v ValueName) error {
	k, err := v.open(registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer k.Close()
	return v.wrapError(k.DeleteValue(v.Name))
}
