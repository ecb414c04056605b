package windows

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows/registry"

	"vkloader/internal/core/facts"
)

// dataMost is the size of the largest data of a value that is read, in bytes.
const dataMost = 64 << 20

func hiveKey(h facts.Hive) registry.Key {
	if h == facts.CurrentUser {
		return registry.CURRENT_USER
	}
	return registry.LOCAL_MACHINE
}

// view returns the flag that opens a key as programs of a word size see it.
func view(bits string) uint32 {
	if bits == "32" {
		return registry.WOW64_32KEY
	}
	return registry.WOW64_64KEY
}

// Registry enumerates the values of a key, in the system's order, as programs of a word size ("32" or "64") see it.
func Registry(h facts.Hive, key, bits string) facts.Key {
	k, err := registry.OpenKey(hiveKey(h), key, registry.QUERY_VALUE|view(bits))
	if err != nil {
		return facts.Key{}
	}
	defer k.Close()
	result := facts.Key{Opened: true}
	names, _ := k.ReadValueNames(-1)
	for _, name := range names {
		if kind, data, ok := valueOf(k, name); ok {
			result.Values = append(result.Values, facts.Value{Name: name, Type: kind, Data: data})
		}
	}
	return result
}

// valueOf reads a value. It returns false if the value no longer exists, or is an invalid text.
func valueOf(k registry.Key, name string) (kind uint32, data string, ok bool) {
	raw, err := dataOf(k, name)
	if err != nil {
		return 0, "", false
	}
	data, ok = valueData(raw.Kind, raw.Bytes)
	return raw.Kind, data, ok
}

// dataOf reads the data of a value as the registry keeps them.
func dataOf(k registry.Key, name string) (Data, error) {
	buffer := make([]byte, 1024)
	for {
		n, kind, err := k.GetValue(name, buffer)
		if err == registry.ErrShortBuffer && n > len(buffer) && n <= dataMost {
			buffer = make([]byte, n)
			continue
		}
		if err != nil {
			return Data{}, err
		}
		return Data{kind, buffer[:n]}, nil
	}
}

// valueData returns the data of a value in the form of package facts: texts as UTF-8, others unchanged. It leaves out
// texts of a list that are not valid UTF-16 (WIN-023).
func valueData(kind uint32, data []byte) (string, bool) {
	switch kind {
	case registry.SZ, registry.EXPAND_SZ:
		return utf8Of(units(data))
	case registry.MULTI_SZ:
		var list strings.Builder
		for rest := units(data); len(rest) > 0; {
			end := 0
			for end < len(rest) && rest[end] != 0 {
				end++
			}
			end = min(end+1, len(rest))
			if text, ok := utf8Of(rest[:end]); ok {
				list.WriteString(text)
			}
			rest = rest[end:]
		}
		return list.String(), true
	}
	return string(data), true
}

func units(data []byte) []uint16 {
	list := make([]uint16, len(data)/2)
	_, _ = binary.Decode(data, binary.LittleEndian, list) // data are long enough
	return list
}

// utf8Of converts a text from UTF-16 to UTF-8; false: the text is invalid.
func utf8Of(text []uint16) (string, bool) {
	for i := 0; i < len(text); i++ {
		if c := rune(text[i]); utf16.IsSurrogate(c) {
			if i+1 == len(text) || utf16.DecodeRune(c, rune(text[i+1])) == '\ufffd' {
				return "", false
			}
			i++
		}
	}
	return string(utf16.Decode(text)), true
}

// text returns the text before the first NUL.
func text(units []uint16) string {
	for i, u := range units {
		if u == 0 {
			units = units[:i]
			break
		}
	}
	return string(utf16.Decode(units))
}

// Register writes a four-byte value 0 into a key of the user. It creates a missing key.
func Register(key, name string) error {
	k, _, err := registry.CreateKey(registry.CURRENT_USER, key, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer k.Close()
	return k.SetDWordValue(name, 0)
}

// Unregister removes a value from a key of the user. A missing value is no error.
func Unregister(key, name string) error {
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.SET_VALUE)
	if err == nil {
		defer k.Close()
		err = k.DeleteValue(name)
	}
	if err == registry.ErrNotExist {
		return nil
	}
	return err
}

// SystemName returns the release of Windows in the registry.
func SystemName() string {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Windows NT\CurrentVersion`,
		registry.QUERY_VALUE|view("64"))
	if err != nil {
		return "Windows"
	}
	defer k.Close()
	name, _, err := k.GetStringValue("ProductName")
	if err != nil || name == "" {
		return "Windows"
	}
	if release, _, err := k.GetStringValue("DisplayVersion"); err == nil && release != "" {
		name += " " + release
	}
	if build, _, err := k.GetStringValue("CurrentBuild"); err == nil && build != "" {
		name += ", build " + build
	}
	return name
}

func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
