package randomworlds

import (
	"fmt"
	"strings"

	"vkloader/test/lib/world"
)

// wanted returns the words of vkCreateInstance.
func (g *guest) wanted(d *description, t try) []string {
	words := []string{"flags", fmt.Sprint(d.app.flags), "app", "0"}
	if d.app.api != "" {
		words = []string{"flags", fmt.Sprint(d.app.flags), "api", d.app.api}
	}
	for _, layer := range t.layers {
		words = append(words, "layer", layer)
	}
	for _, ext := range t.exts {
		words = append(words, "ext", ext)
	}
	for _, name := range d.app.direct {
		if name != "null" {
			name = g.w.Path("direct", name+".so")
		}
		words = append(words, "direct", name)
	}
	if len(d.app.direct) > 0 {
		words = append(words, "direct_mode", d.app.mode)
	}
	if d.has("messenger") {
		words = append(words, "messenger", "told:0x1111:7")
	}
	return g.allocator(d, words...)
}

// allocator adds the program's allocator, if it has one.
func (g *guest) allocator(d *description, words ...string) []string {
	if !d.has("allocator") {
		return words
	}
	g.do("allocator", "as", "a", "fill", "0xff")
	return append(words, "allocator", "a")
}

// toldBy returns the messages that the messenger received: "ERROR text".
func toldBy(answer world.Answer) (lines []string) {
	for _, m := range answer.Objects("messages") {
		severity := map[int64]string{0x1: "DEBUG", 0x10: "INFO", 0x100: "WARNING", 0x1000: "ERROR"}[m.Int("severity")]
		lines = append(lines, severity+" "+strings.TrimLeft(m.Text("text"), " "))
	}
	return lines
}

// surface creates a headless surface and asks which devices support it.
func (g *guest) surface(d *description, t try, devices ...string) {
	if !d.surfaces(t) {
		return
	}
	answer := g.do("create_surface", "type", "headless")
	g.seen.add("surface", fmt.Sprintf("result %d, written %d", answer.Result(), answer.Int("written")))
	for _, pd := range devices {
		g.do("memory", "as", "supported", "size", "8", "u64@0", "0x0badbadbadbadbad")
		result := g.do("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", pd, "arg", "0", "arg", "s", "arg", "supported").Int("result")
		bytes := g.do("peek", "ref", "supported", "size", "4").Text("bytes")
		supported := map[string]string{"00000000": "0", "01000000": "1"}[bytes]
		if supported == "" {
			supported = "garbage"
		}
		g.seen.add("surface support", fmt.Sprintf("result %d, supported %s", int32(result), supported))
	}
	g.do("destroy_surface")
}

// destroy destroys the instance, and checks that none of its blocks is left in the program's allocator.
func (g *guest) destroy(d *description) {
	g.do("destroy_instance", g.allocator(d)...)
	if d.has("allocator") {
		stats := g.do("allocator_stats", "name", "a")
		g.seen.add("allocator", fmt.Sprintf("live %d, faults %d", stats.Int("live"), stats.Int("faults")))
	}
}

// rationed creates the instance with an allocator that provides a limited number of blocks.
func (g *guest) rationed(d *description, t try) {
	if !d.has("allocator") {
		return
	}
	g.rest()
	for _, n := range rations {
		words := g.wanted(d, t)
		g.do("allocator", "as", "a", "fail_from", fmt.Sprint(n))
		answer := g.do("create_instance", words...)
		result := "no other result"
		switch answer.Result() {
		case 0:
			g.do("destroy_instance", "allocator", "a")
		case -1:
		default:
			result = fmt.Sprint("result ", answer.Result())
		}
		stats := g.do("allocator_stats", "name", "a")
		g.seen.add(fmt.Sprint("allocator of ", n, " blocks"), fmt.Sprintf("%s, live %d, faults %d", result, stats.Int("live"), stats.Int("faults")))
	}
	for _, event := range g.rest().Fn("vkDestroyInstance") {
		if libraries[event.Text("who")].isDriver() {
			g.spent = append(g.spent, event.Text("who"))
		}
	}
}

// reload closes the library, opens it again, and creates the instance again.
func (g *guest) reload(d *description, t try) {
	if !d.has("reload") {
		return
	}
	g.do("close")
	g.do("open", "path", g.loader)
	g.rest()
	g.accesses()
	answer := g.do("create_instance", g.wanted(d, t)...)
	_, opened := g.opened()
	g.seen.add("again: opened", opened...)
	g.seen.add("again: calls", creations(g.rest())...)
	g.seen.add("again: result", fmt.Sprint(answer.Result()))
	if answer.Result() == 0 {
		g.do("destroy_instance", g.allocator(d)...)
	}
}
