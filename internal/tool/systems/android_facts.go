package systems

import "strings"

// androidFacts are what is known of a machine and of a program on it.
type androidFacts struct {
	Properties map[string]string // of the system
	Settings   map[string]string // global ones
	Program    androidProgram
}

// androidProgram is what is known of a program.
type androidProgram struct {
	Package       string // its name; "": a process that is no app
	Debuggable    bool
	Dumpable      bool // the process could be made dumpable
	DebugPlatform bool // the whole system is a debuggable build
	Privileged    bool // a privileged app
	System        bool // a system app
	Updated       bool // and it has been updated
	Developer     bool // its manifest has com.android.graphics.developerdriver.enable
	InjectLayers  bool // its manifest has com.android.graphics.injectLayers.enable
	LibraryPath   string
	ABI           string
	Bits          string
	Environment   map[string]string // of a process that is no app
}

// property gives a property; "" when it is not set.
func (f *androidFacts) property(name string) string { return f.Properties[name] }

// splitList takes a list apart; empty items are skipped.
func splitList(text, separator string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separator, r) })
}

// debuggable tells whether the process may be debugged.
func (p *androidProgram) debuggable() bool { return p.Debuggable || p.DebugPlatform }
