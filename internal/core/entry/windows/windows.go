package windows

import (
	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
)

// Begin begins a call of the program's. Nothing is kept from one call to the next.
func Begin() *wire.Call { return wire.NewWindowsCall(search.Windows("")) }

// Add gives a call a message that has been answered before, without deciding again; false when it is malformed.
func Add(call *wire.Call, message string) bool { return call.Add(message) }

// Decide answers a message of a call; false when it is malformed. The message's bytes must stay as they are as long as
// the call lasts: facts are pointed at, not copied.
func Decide(call *wire.Call, message string) (answer []byte, ok bool) { return call.Decide(message) }
