// Command vkloader shows what the Vulkan loader finds on this machine, what it loads, and how long that takes.
//
// Its own process never links or opens libvulkan, a driver or a layer: what has to load foreign code is done by a
// child, the probe, under a time limit.
package main

import (
	"os"

	"vkloader/internal/tool/cli"
)

func main() { os.Exit(cli.Main(os.Args, os.Environ(), os.Stdout, os.Stderr)) }
