package doctor

import (
	"cmp"
	"slices"
	"strings"

	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/shell"
)

// failure is a sign in the result of a trial, or in a line of the driver or loader, with the remedy. Another copy of the same package would
// fail as well.
type failure struct {
	sign string
	do   string                       // FILE is the library
	line func(file string) shell.Line // the remedy's command, after do; nil: none
}

// knownFailures are the signs with a known meaning. Sources: man 7 signal, man 3 dlopen, glibc's NEWS for 2.41 (executable stacks), glibc's manual
// (Dynamic Linking Tunables), Vulkan's specification (Return Codes).
var knownFailures = []failure{
	{sign: "SIGILL", do: "The processor may lack an instruction that FILE uses: install a build for this processor, or an update."},
	{sign: "SIGSYS", do: "A sandbox forbids a system call that FILE makes. Run the program outside of the sandbox, or allow the call in its seccomp filter."},
	{sign: "failed to map segment", do: "The file system of FILE may be mounted with noexec, or the memory limited. See findmnt -T FILE, and ulimit -a."},
	{sign: "cannot enable executable stack", do: "glibc 2.41 and newer load no library that asks for an executable stack. Remove that mark, as root: ", line: func(file string) shell.Line { return shell.Words("patchelf", "--clear-execstack", file) }},
	{sign: "static TLS block", do: "The libraries of the program have used up the memory for thread-local variables. Start the program with more: ",
		line: func(string) shell.Line {
			return explain.SetVariable("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=16384").Line()
		}},
	{sign: "VK_ERROR_DEVICE_LOST", do: "The device or its kernel driver has failed. See the kernel's messages (dmesg), then restart the machine."},
	{sign: "VK_ERROR_OUT_OF_HOST_MEMORY", do: "A limit on memory may be too low for FILE. See ulimit -a."},
	{sign: "VK_ERROR_OUT_OF_DEVICE_MEMORY", do: "Other programs may use the device's memory: end them, and try again."},
}

// meaning returns the remedy for a failure with a known meaning; nil: it has none.
func (r *Report) meaning(a *alone) *Remedy {
	if r.Answer.Style == pathname.Backslash { // the signs and remedies are those of Linux
		return nil
	}
	seen := strings.Join(append([]string{a.Detail, a.Said}, a.Wrote...), "\n")
	at := slices.IndexFunc(knownFailures, func(f failure) bool { return strings.Contains(seen, f.sign) })
	if at < 0 {
		return nil
	}
	file := cmp.Or(a.of.File, a.of.Library)
	f := knownFailures[at]
	text := strings.ReplaceAll(f.do, "FILE", file)
	if f.line != nil {
		return shellAdvice(text, f.line(file))
	}
	return newAdvice(text)
}
