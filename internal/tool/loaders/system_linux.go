package loaders

import "vkloader/internal/tool/machine"

// forWindows is for a tool that runs on Windows.
func forWindows(*machine.Source) *Loader { return nil }
