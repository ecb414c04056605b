//go:build linux || darwin

package cli

// Texts of helps that differ between systems.
const (
	elevatedHelp   = "examine for an elevated program, which has more rights than its user (setuid)"
	libraryHelp    = "use this libvulkan instead of the tool's own: a `PATH`, or a name for the dynamic linker"
	ownLibraryHelp = "use this libvulkan instead of the tool's own"
	exampleProgram = "/opt/game/game"
	exampleDriver  = "radeon_icd.x86_64.json"

	fixBrief = "--fix makes the safe changes to your own files, and asks before each; --undo restores the files."
	runBrief = "run starts PROGRAM with the libvulkan.so.1 of this tool, and with the drivers, devices and layers of the options. It changes no\n" +
		"other program."
	settingsPlaces = "If there is none, it writes a file in the user's\n" +
		"directories, or with --system in the system's. "
	quarantinedFor   = "all programs"
	quarantineAdders = "\"vkloader run --find-culprit --apply\" and \"vkloader doctor --probe --quarantine\" add entries."
	pageAgain        = "; press Enter in the terminal for a new address"
	pageRights       = "As root, the page changes files of the\nsystem only."
	psHelp           = "ps lists every process that has loaded a Vulkan loader. It shows the loader, drivers and layers, the word size, the sandbox, and the device memory\n" +
		"of the process, if the kernel driver reports it. Files\n" +
		"that an update has replaced under a running program are marked. Only root can inspect the\n" +
		"processes of other users."
)
