package commands

import (
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// Two drivers that fail have one change, which leaves out both: of two changes of one variable, the second undoes the first.
func TestDriversThatFailAreLeftOutTogether(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good", "device name=good type=discrete")
	w.Driver("one", "device name=one type=discrete", "result vkCreateDevice -3")
	w.Driver("two", "device name=two type=discrete", "result vkCreateDevice -3")
	out, exit := w.Run(time.Minute, tool, "doctor")
	if want := "export VK_LOADER_DRIVERS_DISABLE=one.json,two.json"; exit.Code != 1 || strings.Count(squeezed(out), want) != 2 {
		t.Errorf("exit code %d, not twice %q: %s", exit.Code, want, out)
	}
}
