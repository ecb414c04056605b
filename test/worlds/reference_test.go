package worlds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/world"
)

func TestReferenceRaw(t *testing.T) {
	w := newWorker(t)
	for i := range *howMany {
		seed := *first + int64(i)
		if *howMany > 1 && flavorOf(seed) != common {
			continue
		}
		d := generate(seed)
		judge := func(d *description) string {
			w.build(d)
			ours := w.show(d, w.Loader)
			w.build(d)
			theirs := w.show(d, world.SystemLibrary)
			for _, o := range []observation{ours, theirs} {
				for i := range o {
					if strings.HasSuffix(o[i].name, ": messages") || strings.HasSuffix(o[i].name, ": read") {
						o[i].lines = nil
					}
					o[i].lines = slices.DeleteFunc(o[i].lines, func(l string) bool { return l == "VK_LUNARG_direct_driver_loading" || l == "VK_LUNARG_direct_driver_loading 1" })
				}
			}
			var out strings.Builder
			for _, diff := range compared(ours, theirs, nil) {
				out.WriteString(diff.String())
				break
			}
			return strings.ReplaceAll(out.String(), w.Root, "$R")
		}
		if diff := judge(d); diff != "" {
			if *shrinking {
				part, _, _ := strings.Cut(diff, "\n")
				d = shrunk(d, func(c *description) bool { return strings.HasPrefix(judge(c), part) })
				t.Errorf("seed %d:\n%s\n%s", seed, judge(d), d)
				continue
			}
			t.Error("seed ", seed, ":\n", diff)
		}
	}
	fmt.Println()
}
