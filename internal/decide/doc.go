// Package decide answers questions about the Vulkan drivers, layers and devices of a program, for the tool and for package
// discover. A question is a Host and a Program, or the facts of a machine.Source; the answers are typed values.
//
// Decide, Of and On explain the library's decision, with a reason for each driver and layer; explain.Decide makes it. Paths
// lists the searched places, LoaderOf the loader of a program, GPUs the devices that the kernel shows, Closure the files of a
// driver. Probe, Wait and Inspect run a child that loads drivers.
//
// The package prints nothing, writes no file, and knows no command of the tool.
package decide
