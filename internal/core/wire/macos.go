package wire

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/search"
)

// NewMacOSCall begins a call that may ask for the program's bundle. Only programs that use it contain the code for it.
func NewMacOSCall(platform search.Platform) *Call {
	c := NewCall(platform)
	c.read, c.ask = readBundle, askBundle
	return c
}

// readBundle stores the fact of a record. It returns false if the record is malformed.
func readBundle(rec Record, s *facts.Store) bool {
	if rec.ID != IDBundle {
		return true
	}
	v, ok := rec.Bundle()
	s.SetBundle(facts.Bundle{Resources: v.Resources.Text})
	return ok
}

func askBundle(w *Writer, n facts.Need) {
	if n.Kind == facts.KindBundle {
		w.PutNeedBundle(NeedBundle{})
	}
}
