package survey

import (
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/machine"
)

// A device that two drivers list has two numbers.
func TestOrderOfTheSameTwice(t *testing.T) {
	t.Parallel()
	base := []discover.Device{{Index: 0, Name: "a"}, {Index: 1, Name: "a"}, {Index: 2, Name: "b"}, {Index: 3, Name: "a"}}
	var list []Device
	for i := range base {
		list = append(list, Device{Device: base[i]})
	}
	steps := orderOf(&machine.Source{}, &plan.Answer{}, list, base)
	for i, want := range []string{"0 a before 1 a: ", "1 a before 2 b: ", "2 b before 3 a: "} {
		if len(steps) != 3 || !strings.HasPrefix(steps[i].What, want) {
			t.Fatalf("%+v, want %q", steps, want)
		}
	}
}
