package loaderlog

import "fmt"

func Example_messagesOnce() {
	log := Read("[Vulkan Loader] WARNING | LAYER: a\n[Vulkan Loader] WARNING | LAYER: a\nother talk\n" +
		"[Vulkan Loader] ERROR:          b\n")
	fmt.Println(log.Messages)
	// Output: [{warning a} {error b}]
}
