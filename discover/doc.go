// Package discover finds the Vulkan drivers, layers and devices that a program gets, and says why.
//
// It makes the decision that the Vulkan loader of this module makes, with the same code, from the files and variables of
// a [Host]: the running system ([Local]), a directory with the root of another one ([Root]), any [io/fs.FS] ([Files]), or a
// copy of a machine with Windows ([Windows]). It loads no driver and no layer, needs no cgo, and links the standard
// library and golang.org/x/sys alone.
//
//	answer, err := discover.Decide(ctx, discover.Local(), discover.Program{Path: "/usr/bin/vkcube"})
//	if err != nil && !errors.Is(err, discover.ErrNoDriver) {
//		return err
//	}
//	for _, d := range answer.Drivers {
//		fmt.Println(d.Manifest, d.Used, d.Reason.Code, d.Reason.Text)
//	}
//
// [GPUs] lists the graphics devices that the kernel shows, with their nodes and the drivers that serve them. [Closure] lists
// the files that a driver needs, and what is missing. What only a driver knows comes from [Probe], which starts a child: the
// devices, or how and where the child crashed. [Wait] waits for a device that a program can use.
//
// # Reasons and errors
//
// A [Reason] has a stable [Code], one English sentence, and the file with line and column. Programs compare the code; the
// sentence may change. docs/findings.md in this module lists the codes. Errors wrap the values that are named Err..., or an
// error of the io/fs package, for errors.Is.
//
// # JSON
//
// An [Answer] is written as "vkloader explain --json" writes it, a [List] as "vkloader list drivers --json", and a [GPU] as an
// element of gpus in "vkloader doctor --json". [Schema] is the number in these answers. It is raised when a member is
// removed or changes its meaning, not when one is added. What the tool has tried out as a fix, and the package that owns a
// file, are not in the answers of this package.
//
// # Concurrency and environment
//
// All functions may be called at the same time. The package keeps no state, does nothing when it is imported, and reads no
// variable except those of a [Program], or of its [Host] where the program names none.
//
// # Compatibility
//
// The package supports the two newest releases of Go, on Linux and Windows. Within a major version of the module, exported
// names keep their meaning, and structures may get further fields: write their literals with field names.
package discover
