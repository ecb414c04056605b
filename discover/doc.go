// Package discover finds the Vulkan drivers, layers and devices that a program gets, and says why.
//
// It makes the decision that the Vulkan loader of this module makes, with the same code, from the files and variables
// of a [Host]: the running system ([Local]), a directory with the root of another one ([Root]), or any [io/fs.FS]
// ([Files]). It loads no driver and no layer, needs no cgo, and links the standard library, golang.org/x/sys,
// mvdan.cc/sh and github.com/pierrec/lz4 alone.
//
//	answer, err := discover.Decide(ctx, discover.Local(), discover.Program{Path: "vkcube"})
//	if err != nil && !errors.Is(err, discover.ErrNoDriver) {
//		return err
//	}
//	for _, d := range answer.Drivers {
//		fmt.Println(d.Manifest, d.Used, d.Reason.Code, d.Reason.Text)
//	}
//
// These functions only read files, of any [Host]:
//
//   - [Decide]: the drivers and layers that a program gets
//   - [LoaderOf]: the file of the loader that it gets, which may be another one with fewer features
//   - [Paths]: where drivers, layers and settings are looked for
//   - [GPUs]: the graphics devices that the kernel shows, with their nodes and the drivers that serve them
//   - [Closure], [LayerClosure]: the files that a driver or layer needs, and the missing ones
//
// These functions start a child process on the running system, and ask its drivers:
//
//   - [Probe]: the devices, or how and where the child crashed
//   - [Inspect]: the drivers, layers and devices of a short program, with times and the loader's messages
//
// # The child process
//
// The child is the probe of an installed vkloader, "libexec/vkloader/probe": Debian's package vkloader has it. A
// program needs no hook in its main function, and links no C code. [ProbeOptions].Child names another copy. Without a
// probe, these functions return [ErrNoProbe], whose text says what to install; the functions that read files do not
// need it. docs/rationale.md in this module lists the other ways, and why they were rejected.
//
// # Reasons and errors
//
// A [Reason] has a stable [Code], one English sentence, and the file with line and column. Programs compare the code;
// the sentence may change. docs/findings.md in this module lists the codes. Errors wrap the values that are named
// Err..., or an error of the io/fs package, for errors.Is.
//
// # JSON
//
// The tool asks this package, and prints its answers: an [Answer] as "vkloader explain --json", a [List] as "vkloader
// list drivers --json", a [PathList] as "vkloader list paths --json", a [Verdict] as "vkloader check --json", and a
// [GPU] as an element of gpus in "vkloader doctor --json". [Schema] is the number in these answers, [VerdictSchema]
// that of a Verdict. It is raised when a member is removed or changes its meaning, not when one is added. The tool adds
// its tried fixes, the package that owns a file, and its facts about a running process.
//
// # Concurrency and environment
//
// All functions may be called at the same time. The package keeps no state, does nothing when it is imported, and reads
// no variable except those of a [Program], or of its [Host] where the program names none. A nil context is
// [context.Background]. A panic of a host's io/fs.FS reaches the caller.
//
// # Compatibility
//
// The package supports the two newest releases of Go, on Linux and Windows. Within a major version of the module,
// exported names keep their meaning, and structures may get further fields: write their literals with field names.
package discover
