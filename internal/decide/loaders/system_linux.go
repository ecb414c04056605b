package loaders

import "vkloader/internal/decide/machine"

// systemLoader returns false: the dynamic linker's rules are known on Linux.
func systemLoader(*machine.Source) (l *Loader, decided bool) { return nil, false }
