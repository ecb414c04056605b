// Package drivers has the tool's facts about GPUs, and about the drivers that exist for them.
//
// GPUs lists the graphics devices of a machine, as the kernel shows them: PCI devices that are displays, devices with nodes of the
// direct rendering manager, devices of NVIDIA's driver, devices that other kernel drivers show by a node; and nodes without any of
// that, which a container may have. It reads files of the kernel and wakes no device. SelectDevices reads the name of a
// device in any command: one grammar, and one error for an ambiguous name. Its caller lists the devices.
//
// Of drivers, the package knows the distributions' packages that have them, and the files that they use besides their
// libraries' needs. internal/core/family lists the drivers and their devices, as it does for the library. The package
// also knows the names of the drivers of these devices in OpenGL and VA-API; and the variables of Mesa's layer that chooses a device,
// VK_LAYER_MESA_device_select, by Mesa's documentation.
//
// It knows which driver serves which chip, and since which release of Mesa, of Linux and of the maker's own driver; and which
// distributions have newer packages for an older release of theirs. These facts are in chips.txt, which says from which files
// they come.
//
// FilesOf lists the files that a driver or a layer needs: its library, the libraries that the dynamic linker loads with it,
// those that it opens at run time, its data and its device nodes. Judged also says whether the dynamic linker can load the
// library, and whether the library is a driver or a layer. This is the only place that does so: package discover, the doctor
// and the driver service ask it, and say the result in their own words.
//
// It knows drivers by their libraries' names. It loads nothing, reads no variable, asks no layer, and decides nothing about
// the drivers that programs get.
package drivers
