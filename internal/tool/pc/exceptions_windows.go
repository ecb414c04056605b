package pc

import "fmt"

// Exception is the code of what ended a process, or of what a debugger is told.
type Exception uint32

// Exceptions that a debugger is told of, and that end no program.
const (
	ControlC     Exception = 0x40010005
	ControlBreak Exception = 0x40010008
	Breakpoint   Exception = 0x80000003
	Breakpoint32 Exception = 0x4000001f // the one with which a 32-bit program begins on a system of 64 bits
)

// firstError is the first code of the severity "error"; interrupted is how Ctrl-C ends a program.
const (
	firstError  Exception = 0xc0000000
	interrupted Exception = 0xc000013a
)

var exceptions = map[Exception]string{
	Breakpoint: "a breakpoint", 0xc0000005: "an access violation", 0xc0000006: "a page that could not be read", 0xc000001d: "an illegal instruction",
	0xc0000094: "a division by zero", 0xc0000096: "a privileged instruction", 0xc00000fd: "a stack overflow", 0xc0000135: "a missing DLL",
	0xc0000374: "a damaged heap", 0xc0000409: "a fast failure",
}

// Fatal tells whether programs end by it, where they do not handle it.
func (e Exception) Fatal() bool { return e == Breakpoint || e >= firstError && e != interrupted }

// String names it.
func (e Exception) String() string {
	if name, ok := exceptions[e]; ok {
		return name
	}
	return fmt.Sprintf("exception %#x", uint32(e))
}
