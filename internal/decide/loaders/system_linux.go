package loaders

import "vkloader/internal/decide/machine"

// forSystem returns false: the dynamic linker's rules are known on Linux.
func forSystem(*machine.Source) (l *Loader, decided bool) { return nil, false }
