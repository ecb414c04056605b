package explain

// Means is the kind of change that puts an item in or out.
type Means uint8

// Kinds of changes.
const (
	ByVariable Means = iota
	ByTwo            // two variables together
	ByFile           // the manifest is deleted
	BySettings       // the settings file is deleted
	ByNothing        // no change is known
)

// Remedy is a tested change that puts an item in or out.
type Remedy struct {
	Means  Means
	Change Change
	Owner  string // the package that installed the manifest; "": none
	Ours   bool   // the tool wrote the settings file
}

// keptOut returns the reason for an item that only the settings file excludes.
func keptOut(file string) string { return "the settings file " + file + " excludes it" }
