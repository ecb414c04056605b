// Package drivers is what the tool knows of GPUs, and of the drivers that exist for them.
//
// GPUs lists the graphics devices of a machine, as the kernel shows them: PCI devices that are displays, what has nodes of the
// direct rendering manager, what NVIDIA's driver serves, what other kernel drivers show by a node; and nodes without any of
// that, which a container may have. It reads files of the kernel and wakes no device. SelectDevices is how a person names a
// device to any command: one grammar, and one answer to what is ambiguous. It is told which devices there are.
//
// Of drivers, the package knows the distributions' packages that have them, and what they use beside the files that their
// libraries say they need. Which there are, and what they work on, internal/core/family says, as it does for the library. It
// also knows what OpenGL and VA-API call the drivers of these devices; and the variables of Mesa's layer that chooses a device,
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
