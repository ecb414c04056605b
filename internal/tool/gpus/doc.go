// Package gpus lists the graphics devices of a machine, as the kernel shows them: PCI devices that are displays, what has
// nodes of the direct rendering manager, what NVIDIA's driver serves, what other kernel drivers show by a node; and nodes
// without any of that, which a container may have. It reads files of the kernel and wakes no device.
//
// It is also how a person names a device to any command: one grammar, and one answer to what is ambiguous. Select is told
// which devices there are.
//
// It knows of no driver. Whether a device works is not its question.
package gpus
