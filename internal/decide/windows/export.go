package windows

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"vkloader/internal/core/facts"
)

// ExportedValue is a value with its data, for a file of the registry editor.
type ExportedValue struct {
	ValueName
	Data
}

// Export returns the values as a file for the registry editor. wide means that the system runs 64-bit programs; the
// keys of 32-bit programs then have other names.
func Export(values []ExportedValue, wide bool) string {
	var text strings.Builder
	text.WriteString("Windows Registry Editor Version 5.00\r\n")
	before := ""
	for _, v := range values {
		key := v.Key
		if rest, is := strings.CutPrefix(key, `SOFTWARE\`); is && v.Hive == facts.LocalMachine && v.Bits == "32" &&
			wide {
			key = `SOFTWARE\WOW6432Node\` + rest
		}
		if key = v.Hive.String() + `\` + key; key != before {
			fmt.Fprintf(&text, "\r\n[%s]\r\n", key)
			before = key
		}
		fmt.Fprintf(&text, "\"%s\"=%s\r\n", escape(v.Name), dataText(v.Data))
	}
	return text.String()
}

func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
}

// Types of values with a form in files of the registry editor.
const (
	kindText   = 1
	kindNumber = 4
)

// dataText returns the data of a value in that form: a number, a text, or bytes with their type.
func dataText(d Data) string {
	if d.Kind == kindNumber && len(d.Bytes) == 4 {
		return fmt.Sprintf("dword:%08x", binary.LittleEndian.Uint32(d.Bytes))
	}
	if text, ok := plainText(d); ok {
		return `"` + escape(text) + `"`
	}
	list := make([]string, len(d.Bytes))
	for i, b := range d.Bytes {
		list[i] = fmt.Sprintf("%02x", b)
	}
	return fmt.Sprintf("hex(%x):", d.Kind) + strings.Join(list, ",")
}

// plainText returns the text of a value without its final NUL; false: the value is no text, or does not fit in one
// line.
func plainText(d Data) (string, bool) {
	if d.Kind != kindText || len(d.Bytes)%2 != 0 || len(d.Bytes) == 0 {
		return "", false
	}
	units := make([]uint16, len(d.Bytes)/2)
	for i := range units {
		if units[i] = binary.LittleEndian.Uint16(d.Bytes[2*i:]); (units[i] < ' ' ||
			utf16.IsSurrogate(rune(units[i]))) != (i == len(units)-1) {
			return "", false
		}
	}
	return string(utf16.Decode(units[:len(units)-1])), units[len(units)-1] == 0
}
