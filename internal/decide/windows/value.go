package windows

import (
	"strings"
	"unicode"

	"vkloader/internal/core/facts"
)

// Classes of devices.
const (
	DisplayClass   = "{4d36e968-e325-11ce-bfc1-08002be10318}"
	ComponentClass = "{5c4c3332-344d-483c-8739-259e934c9cc8}" // software components
)

// ValueName names a value of the registry, in the view of programs of a word size.
type ValueName struct {
	Hive facts.Hive
	Bits string // "32" or "64"
	Key  string
	Name string
}

// String returns the value's name in the form of messages.
func (v ValueName) String() string {
	text := v.Hive.String() + `\` + v.Key + ": " + v.Name
	if v.Hive == facts.LocalMachine {
		text += " (view of " + v.Bits + "-bit programs)"
	}
	return text
}

// Exportable reports whether a file for the registry editor can have a line for the value.
func (v ValueName) Exportable() bool { return strings.IndexFunc(v.Name, unicode.IsControl) < 0 }

// Data is the type and the bytes of a value in the registry.
type Data struct {
	Kind  uint32
	Bytes []byte
}
