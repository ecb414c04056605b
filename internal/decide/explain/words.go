package explain

import (
	"vkloader/internal/tool/term"
)

// means is the kind of change that puts an item in or out.
type means uint8

const (
	byVariable means = iota
	byTwo            // two variables together
	byFile           // the manifest goes
	bySettings       // the settings file goes
	byNothing        // nothing is known
)

// remedy is a tested change that puts an item in or out.
type remedy struct {
	kind   means
	change Change
	owner  string // the package that the manifest belongs to; "": none
	ours   bool   // the settings file is the tool's own
}

// told sets an item's advice: a variable's line by itself, everything else in a sentence.
func (e *Item) told(r remedy) {
	e.Change, e.Do, e.Commands = "", "", r.change.Lines()
	switch r.kind {
	case byVariable:
		if e.Change = r.change.Line(); r.change.Set {
			e.Change = r.change.Assignment()
		}
	case byTwo:
		e.Do = "two variables together: " + r.change.Line()
	case byFile:
		e.Do = "no variable changes this: " + r.change.Line()
		if r.owner != "" {
			e.Do, e.Commands = "no variable changes this: uninstall the package "+term.OneLine(r.owner), nil
		}
	case bySettings:
		if !r.ours {
			e.Do = "no variable changes this, because the settings file decides: change it with the program that wrote it, or " + r.change.Line()
			break
		}
		e.Do, e.Commands = "no variable changes this, because the settings file decides: vkloader settings clear", []string{"vkloader settings clear"}
		if and := r.change.And; and != nil {
			e.Do += "; " + and.Line()
			e.Commands = append(e.Commands, and.Lines()...)
		}
	case byNothing:
		e.Do, e.Commands = "no variable changes this", nil
	}
}

// keptOut is the reason of an item that only the settings file keeps out.
func keptOut(file string) string { return "the settings file " + file + " keeps it out" }
