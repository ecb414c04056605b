package cli

import "vkloader/internal/tool/machine"

// kernelOf is the release of the kernel: the system's name has it here.
func kernelOf(*machine.Source) string { return "" }
