//go:build linux || darwin

package cli

// Texts of helps that differ between systems.
const (
	elevatedHelp   = "as for a program with more rights than its user (setuid)"
	libraryHelp    = "use this libvulkan, a `PATH` or a name for the dynamic linker, instead of the tool's own"
	ownLibraryHelp = "use this libvulkan instead of the tool's own"
	exampleProgram = "/opt/game/game"
	exampleDriver  = "radeon_icd.x86_64.json"

	fixBrief = "--fix makes the safe changes to your own files, and asks before each; --undo restores the files."
	runBrief = "run starts PROGRAM with the libvulkan.so.1 of this tool, and with the drivers, devices and layers of the options. It changes no\n" +
		"other program."
	settingsPlaces = "If there is none, it writes the first place in the user's\n" +
		"directories, or with --system in the system's. "
	quarantinedFor   = "all programs"
	quarantineAdders = "\"vkloader run --find-culprit --apply\" and \"vkloader doctor --probe --quarantine\" add entries."
	pageAgain        = "; press Enter in the terminal for a new address"
	pageRights       = "As root, the page changes files of the\nsystem only."
	psHelp           = "ps lists every process that has a Vulkan loader in memory: the loader, drivers and layers, the word\n" +
		"size, the sandbox, and the device memory that it holds, if the kernel driver reports that. Files\n" +
		"that an update has replaced under a running program are marked. Only root can inspect the\n" +
		"processes of other users."
)
