package cli

// Texts of helps that differ between systems.
const (
	elevatedHelp   = "examine for a program that runs as administrator; --elevated=false: for a program that does not"
	libraryHelp    = "use this vulkan-1.dll, a `PATH`, instead of the tool's own"
	ownLibraryHelp = libraryHelp
	exampleProgram = `C:\Games\game.exe`
	exampleDriver  = "nv-vk64.json"

	fixBrief = "--fix makes tested changes to the registry, and asks before each; --undo restores the values."
	runBrief = "run starts PROGRAM with the vulkan-1.dll that Windows finds for it, and with the drivers, devices and layers of the options.\n" +
		"It changes no other program."
	settingsPlaces   = "If there is none, it writes one below %LOCALAPPDATA%,\nand a value of HKEY_CURRENT_USER names it. "
	quarantinedFor   = "all programs that do not run as administrator"
	quarantineAdders = "\"vkloader run --find-culprit --apply\" adds entries."
	pageAgain        = "; start ui again for another tab"
	pageRights       = "As administrator, the page changes settings that programs with these rights\ndo not read."
	psHelp           = "ps lists every process that has loaded a vulkan-1.dll: the loader, drivers and layers, and the word size.\n" +
		"Only an administrator can inspect the processes of other users. A tool of 32 bits cannot inspect\n" +
		"programs of 64 bits."
)
