package memory

import (
	"testing"

	"vkloader/test/lib/world"
)

// While the loader calls a driver, a layer or an allocator, other threads' calls proceed: here each callee waits for a call of another
// thread that needs the loader's lock.
//
// holds: THR-010 THR-012 ALC-016
func TestNothingIsLockedInCallbacks(t *testing.T) {
	t.Parallel()
	w, words := everything(t, "perform * elsewhere")
	i := &injector{t: t, w: w, h: w.Start(), mode: "perform", seen: map[string]int{}}
	h := i.h
	h.OK("create_instance", "as", "j", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface")
	h.Do("allocator", "as", "a")
	i.memory()
	h.Do("script", "as", "lookup", "line", "gipa instance=j name=vkNobodyKnows", "line", "create_surface instance=j type=headless as=other%t",
		"line", "destroy_surface instance=j name=other%t")
	h.Do("script", "as", "elsewhere", "line", "run script=lookup threads=1 limit=20000")
	words = append(words, "allocator", "a")
	performed := 0
	count := func() {
		for _, script := range h.Do("performed")["scripts"].([]any) {
			performed++
			if answer := world.Answer(script.([]any)[0].(map[string]any)); answer.Text("error") != "" || answer.Int("bad") != 0 {
				t.Errorf("another thread: %v", answer)
			}
		}
	}
	i.life(words)
	balanced(t, h, "a", "a life")
	count()

	// Again, with objects that are not destroyed, and a driver that is removed.
	h.Do("allocator", "as", "a", "perform", "elsewhere")
	h.OK("create_instance", words...)
	h.OK("create_surface", "type", "headless", "allocator", "a")
	h.OK("create_messenger", "as", "m", "allocator", "a", "script", "elsewhere")
	h.OK("create_report", "as", "r", "allocator", "a", "script", "elsewhere")
	for _, d := range h.OK("physical_devices").Ints("devices") {
		h.Do("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", world.Ref(d), "arg", "s", "arg", "out:64")
	}
	h.Do("submit_message", "text", "hello")
	for n := range 40 {
		h.OK("create_surface", "type", "headless", "as", "s"+string(rune('A'+n)), "allocator", "a")
	}
	h.Do("destroy_instance", "allocator", "a")
	balanced(t, h, "a", "what was left alive")
	count()
	if performed < 300 {
		t.Errorf("%d callbacks", performed)
	}
	h.Do("script", "as", "elsewhere")
	h.Do("destroy_instance", "name", "j")
	h.Quit()
}
