package run

import "time"

// LoaderUse records the loader files that a program and its children have mapped.
type LoaderUse struct {
	Own   string // the tool's own library
	Used  bool   // a process has mapped it
	Other string // another loader that a process has mapped; "": none

	next time.Time // of looking
}

// Warning returns the warning that a program has opened another loader, and "" if it has opened the tool's own or none.
func (o *LoaderUse) Warning(program string) string {
	if o == nil || o.Used || o.Other == "" {
		return ""
	}
	return program + " has opened " + o.Other + ", not " + o.Own
}
