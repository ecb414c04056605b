package loaders

import "vkloader/internal/decide/machine"

// forSystem returns no loader: the tool does not know dyld's rules for a program.
func forSystem(*machine.Source) (l *Loader, decided bool) { return nil, true }
