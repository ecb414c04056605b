package entry

import (
	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
)

// Begin begins an API call on Linux. No state is shared between calls.
func Begin() *wire.Call { return wire.NewCall(search.Linux()) }

// BeginWindows is Begin for vulkan-1.dll.
func BeginWindows() *wire.Call { return wire.NewWindowsCall(search.Windows("")) }

// BeginMacOS is Begin for libvulkan.1.dylib.
func BeginMacOS() *wire.Call { return wire.NewMacOSCall(search.MacOS()) }

// Add adds a message that was answered before, without deciding again. It returns false if the message is malformed.
func Add(call *wire.Call, message string) bool { return call.Add(message) }

// Decide answers a message of a call. It returns false if the message is malformed. The bytes of the message must not
// change during the call, because facts point into them.
func Decide(call *wire.Call, message string) (answer []byte, ok bool) { return call.Decide(message) }
