package drivers

import (
	"errors"
	"io/fs"

	"vkloader/internal/tool/binary"
)

// Fault is why a library cannot be used.
type Fault uint8

// The faults.
const (
	None       Fault = iota
	Absent           // it is in no directory that the dynamic linker searches
	ForOthers        // only libraries of this name for other programs are there
	Unreadable       // its file is damaged, or may not be read
	Foreign          // its file is for other programs
)

// Why says the fault in a sentence about a subject, such as "it"; "" without one.
func (l *Library) Why(subject string) string {
	switch l.Fault {
	case Absent:
		return subject + " is in no directory that the dynamic linker searches"
	case ForOthers:
		return subject + " is there for other programs only: " + l.Others[0]
	case Unreadable:
		return l.File.Path + " cannot be read: " + Cause(l.File.Err()).Error()
	case Foreign:
		return l.File.Path + " is for other programs"
	}
	return ""
}

// Needed is a library that another one needs and that cannot be used.
func Needed(m *binary.Missing) Library {
	return Library{Name: m.Name, Result: m.Result, Fault: faultOf(&m.Result)}
}

// faultOf is why what the dynamic linker finds cannot be used, by the file alone.
func faultOf(r *binary.Result) Fault {
	switch {
	case r.File == nil && len(r.Others) > 0:
		return ForOthers
	case r.File == nil:
		return Absent
	case r.File.Err() != nil:
		return Unreadable
	}
	return None
}

// Cause leaves out the operation and the path of an error of the system.
func Cause(err error) error {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}
