// Package drivers is what the tool knows of drivers that exist: the packages that have them, and what they use beside the
// files that their libraries say they need. Which there are, and what they work on, internal/core/family says, as it does
// for the library. The package also knows the variables of Mesa's layer that chooses a device,
// VK_LAYER_MESA_device_select, by Mesa's documentation.
//
// It knows which driver serves which chip, and since which release of Mesa, of Linux and of the maker's own driver; and which
// distributions have newer packages for an older release of theirs. These facts are in chips.txt, which says from which files
// they come.
//
// It knows drivers by their libraries' names. It opens no file, reads no variable and asks no layer.
package drivers
