// Command vkloader shows what the Vulkan loader finds on this machine, what it loads, and how long that takes.
//
// Its own process never links or opens libvulkan, a driver or a layer: what has to load foreign code is done by a
// child, the probe, under a time limit.
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

// delayCollection lets the heap grow to 40 MB before the first collection of garbage: most commands are over by then.
// With the first collection the usual pace begins.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const percentOf4MB, usual = 1000, 100
	debug.SetGCPercent(percentOf4MB)
	first := new([16]byte)
	runtime.SetFinalizer(first, func(*[16]byte) { debug.SetGCPercent(usual) })
}
