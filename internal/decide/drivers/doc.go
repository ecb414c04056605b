// Package drivers has the tool's facts about GPUs and about the Vulkan drivers that exist for them.
//
// GPUs lists the graphics devices of a machine, as the kernel shows them: PCI devices that are displays, devices with
// nodes of the direct rendering manager, devices of NVIDIA's driver, and devices that other kernel drivers show by a
// node. A container may have nodes without any of these; such a node counts as a device. GPUs reads files of the kernel
// and wakes no device.
//
// Families lists the drivers: internal/core/family has the part of the table that the library needs, and this package
// adds the distributions' packages, and the files that a driver uses besides the libraries that it is linked with.
// ReadMesa reads the variables of Mesa's layer that chooses a device, VK_LAYER_MESA_device_select, by Mesa's
// documentation.
//
// A Chip says which driver serves it, and since which release of Mesa, of Linux and of the maker's own driver.
// NewerSuite says which distributions have newer packages for an older release. chips.txt has these facts with their
// sources.
//
// FilesOf lists the files that a driver or a layer needs: its library, the libraries that the dynamic linker loads with
// it, those that it opens at run time, its data and its device nodes. Judged also says whether the dynamic linker can
// load the library, and whether the library is a driver or a layer. Package discover, the doctor and the driver service
// all use it, and word the result themselves.
//
// The package knows drivers by their libraries' names. It loads nothing, reads no variable, asks no layer, and does not
// decide which drivers programs get.
package drivers
