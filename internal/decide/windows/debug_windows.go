package windows

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	waitForDebugEvent  = kernel32.NewProc("WaitForDebugEvent")
	continueDebugEvent = kernel32.NewProc("ContinueDebugEvent")
	suspendThread      = kernel32.NewProc("SuspendThread")
	getThreadContext   = kernel32.NewProc("GetThreadContext")
	virtualQueryEx     = kernel32.NewProc("VirtualQueryEx")
	setControlHandler  = kernel32.NewProc("SetConsoleCtrlHandler")
)

// DebugKind is an event of a debugged process.
type DebugKind uint32

// Kinds. A debugger continues the process after all others.
const (
	Raised        DebugKind = 1
	ThreadStarted DebugKind = 2
	Started       DebugKind = 3
	ThreadEnded   DebugKind = 4
	Ended         DebugKind = 5
	libraryLoaded DebugKind = 6
)

// DebugEvent is an event of a debugged process. All threads of the process are stopped until Continue.
type DebugEvent struct {
	Kind      DebugKind
	PID, TID  uint32
	Exception Exception      // of Raised
	Address   uint64         // of Raised: the instruction
	First     bool           // of Raised: the program may still handle it
	Process   windows.Handle // of Started; the system closes it after Ended
	Thread    windows.Handle // of Started and ThreadStarted; the system closes it after ThreadEnded
	Code      uint32         // of Ended
}

// The system's structures.
type (
	exceptionRecord struct {
		code, flags   uint32
		next, address uintptr
		parameters    uint32
		information   [15]uintptr
	}
	exceptionEvent struct {
		record exceptionRecord
		first  uint32
	}
	processEvent struct {
		file, process, thread windows.Handle
	}
	threadEvent struct{ thread windows.Handle }
	endEvent    struct{ code uint32 }
	fileEvent   struct{ file windows.Handle }
	debugEvent  struct {
		kind, pid, tid uint32
		event          exceptionEvent // the largest of the events
	}
)

// NextDebugEvent waits for an event of a process that the calling thread started with DEBUG_PROCESS.
func NextDebugEvent() (*DebugEvent, error) {
	var raw debugEvent
	if ok, _, err := waitForDebugEvent.Call(pointer(&raw), windows.INFINITE); ok == 0 {
		return nil, err
	}
	e := &DebugEvent{Kind: DebugKind(raw.kind), PID: raw.pid, TID: raw.tid}
	at := unsafe.Pointer(&raw.event)
	switch e.Kind {
	case Raised:
		e.Exception, e.Address, e.First = Exception(raw.event.record.code), uint64(raw.event.record.address),
			raw.event.first != 0
	case ThreadStarted:
		e.Thread = (*threadEvent)(at).thread
	case Started:
		p := (*processEvent)(at)
		e.Process, e.Thread = p.process, p.thread
		closeFile(p.file)
	case Ended:
		e.Code = (*endEvent)(at).code
	case libraryLoaded:
		closeFile((*fileEvent)(at).file)
	}
	return e, nil
}

func closeFile(file windows.Handle) {
	if file != 0 {
		_ = windows.CloseHandle(file)
	}
}

// Continue lets the process continue. If handled is true, it continues as if there had been no exception.
func (e *DebugEvent) Continue(handled bool) error {
	const dbgContinue, notHandled = 0x00010002, 0x80010001
	how := uintptr(notHandled)
	if handled {
		how = dbgContinue
	}
	if ok, _, err := continueDebugEvent.Call(uintptr(e.PID), uintptr(e.TID), how); ok == 0 {
		return err
	}
	return nil
}

// Suspend stops a thread.
func Suspend(thread windows.Handle) bool {
	count, _, _ := suspendThread.Call(uintptr(thread))
	return uint32(count) != ^uint32(0)
}

// Standing returns the instruction and stack pointers of a suspended thread; 0: unknown. For a 32-bit process on a
// 64-bit system they are those of the 32-bit code.
func Standing(process, thread windows.Handle) (pc, sp uint64) {
	get, registers := getThreadContext, ownContext
	if wordOf(process) != wordSize {
		get, registers = kernel32.NewProc("Wow64GetThreadContext"), context32
	}
	block := make([]byte, registers.size+contextAlign)
	start := contextAlign - uintptr(unsafe.Pointer(&block[0]))%contextAlign
	context := block[start:]
	*(*uint32)(unsafe.Pointer(&context[registers.flags])) = registers.control
	if get.Find() != nil {
		return 0, 0
	}
	if ok, _, _ := get.Call(uintptr(thread), pointer(&context[0])); ok == 0 {
		return 0, 0
	}
	return word(context[registers.pc:], registers.word), word(context[registers.sp:], registers.word)
}

// registers has the offsets of some registers in the system's CONTEXT.
type registers struct {
	size, flags, pc, sp uintptr
	control             uint32 // the flag that requests these registers
	word                int
}

const contextAlign = 16

var (
	context32 = registers{size: 716, flags: 0, pc: 0xb8, sp: 0xc4, control: 0x10001, word: 4}
	context64 = registers{size: 1232, flags: 0x30, pc: 0xf8, sp: 0x98, control: 0x100001, word: 8}
)

const wordSize = int(unsafe.Sizeof(uintptr(0)))

var ownContext = map[int]registers{4: context32, 8: context64}[wordSize]

func word(at []byte, size int) uint64 {
	if size == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&at[0])))
	}
	return *(*uint64)(unsafe.Pointer(&at[0]))
}

// wordOf returns the bytes in a word of a process's memory.
func wordOf(process windows.Handle) int {
	if !System64() || isWOW64(process) {
		return 4
	}
	return 8
}

// Words returns the words in a process's memory from an address on, at most most bytes of them.
func Words(process windows.Handle, from uint64, most int) (list []uint64) {
	const page = 4096
	for at := from; most > 0; {
		block := make([]byte, min(most, page-int(at%page)))
		var read uintptr
		if windows.ReadProcessMemory(process, uintptr(at), &block[0], uintptr(len(block)), &read) != nil {
			return list
		}
		size := wordOf(process)
		for block = block[:read]; len(block) >= size; block = block[size:] {
			list = append(list, word(block, size))
		}
		most, at = most-int(read), at+uint64(read)
	}
	return list
}

// IsCode reports whether instructions may lie at an address of a process.
func IsCode(process windows.Handle, address uint64) bool {
	const execute = windows.PAGE_EXECUTE | windows.PAGE_EXECUTE_READ | windows.PAGE_EXECUTE_READWRITE |
		windows.PAGE_EXECUTE_WRITECOPY
	var about memoryInformation
	if uint64(uintptr(address)) != address {
		return false
	}
	size, _, _ := virtualQueryEx.Call(uintptr(process), uintptr(address), pointer(&about), unsafe.Sizeof(about))
	return size == unsafe.Sizeof(about) && about.state == windows.MEM_COMMIT && about.protect&execute != 0
}

// memoryInformation is MEMORY_BASIC_INFORMATION; the type in package windows has an extra member in 32-bit programs.
type memoryInformation struct {
	base, allocation     uintptr
	allocationProtect    uint32
	size                 uintptr
	state, protect, kind uint32
}

// OnBreak calls a function at each Ctrl-Break, which then does not end this process. stop ends this.
func OnBreak(call func()) (stop func()) {
	handler := windows.NewCallback(func(event uintptr) uintptr {
		if uint32(event) != windows.CTRL_BREAK_EVENT {
			return 0
		}
		call()
		return 1
	})
	_, _, _ = setControlHandler.Call(handler, 1)
	return func() { _, _, _ = setControlHandler.Call(handler, 0) }
}

// Exception is the code of an exception that ended a process, or that a debugger sees.
type Exception uint32

// Exceptions that debuggers use, and that do not end a program.
const (
	ControlC     Exception = 0x40010005
	ControlBreak Exception = 0x40010008
	Breakpoint   Exception = 0x80000003
	Breakpoint32 Exception = 0x4000001f // the first exception of a 32-bit program on a 64-bit system
)

// firstError is the first code of the severity "error". interrupted is the exit code of a program that Ctrl-C ended.
const (
	firstError  Exception = 0xc0000000
	interrupted Exception = 0xc000013a
)

var exceptions = map[Exception]string{
	Breakpoint: "a breakpoint", 0xc0000005: "an access violation", 0xc0000006: "a page that could not be read",
	0xc000001d: "an illegal instruction",
	0xc0000094: "a division by zero", 0xc0000096: "a privileged instruction", 0xc00000fd: "a stack overflow",
	0xc0000135: "a missing DLL",
	0xc0000374: "a damaged heap", 0xc0000409: "a fast failure",
}

// Fatal reports whether an unhandled exception ends a program.
func (e Exception) Fatal() bool { return e == Breakpoint || e >= firstError && e != interrupted }

// String returns the name of the exception, or its number.
func (e Exception) String() string {
	if name, ok := exceptions[e]; ok {
		return name
	}
	return fmt.Sprintf("exception %#x", uint32(e))
}
