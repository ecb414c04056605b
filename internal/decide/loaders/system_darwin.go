package loaders

import "vkloader/internal/decide/machine"

// systemLoader returns no loader: the tool does not know dyld's rules for a program.
func systemLoader(*machine.Source) (l *Loader, decided bool) { return nil, true }
