// Command vkloader shows the drivers and layers that programs get from the Vulkan loader on this machine, finds their
// faults, and changes settings.
//
// Its own process never links or opens libvulkan, a driver or a layer: a child, the probe, loads foreign code, under a
// time limit.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"vkloader/internal/tool/cli"
)

func main() {
	delayCollection()
	os.Exit(cli.Main(os.Args, os.Environ(), os.Stdout, os.Stderr))
}

// delayCollection lets the heap grow to 40 MB before the first garbage collection. Most commands end before that. After
// the first collection, the runtime's default applies.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const percentOf4MB, usual = 1000, 100
	debug.SetGCPercent(percentOf4MB)
	first := new([16]byte)
	runtime.SetFinalizer(first, func(*[16]byte) { debug.SetGCPercent(usual) })
}
