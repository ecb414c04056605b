package loaders

import "vkloader/internal/decide/machine"

// forWindows is for a tool that runs on Windows.
func forWindows(*machine.Source) *Loader { return nil }
