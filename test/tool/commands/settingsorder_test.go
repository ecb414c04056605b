package commands

import (
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// The library obeys a rule about the order of layers. With the rule, a program gets the same layers as without it, also a layer that only a
// program asks for.
//
// holds: SET-41 SET-46 SET-47 SET-49 SET-53 SET-57
func TestSettingsOrder(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("card")
	for _, name := range []string{"one", "two", "three"} {
		w.ImplicitLayer(name)
	}
	w.ExplicitLayer("asked")
	w.ImplicitLayer("off")
	w.Env["DISABLE_off"] = "1"
	// order returns the layers of a program that asks for a layer, from the program down.
	order := func(layers ...string) (names []string) {
		h := w.Start()
		h.OK("create_instance", layers...)
		h.Do("destroy_instance")
		h.Quit()
		for _, call := range w.Log().Fn("vkCreateInstance") {
			if who := call.Text("who"); who != "card" && !slices.Contains(names, who) { // each layer once, at its call and not at its return
				names = append(names, who)
			}
		}
		w.ForgetLog()
		return names
	}
	const asked = "asked"
	if got := order("layer", asked); !slices.Equal(got, []string{"one", "two", "three", "asked"}) {
		t.Fatalf("without rules: %v", got)
	}
	rule := func(args ...string) {
		t.Helper()
		if out, exit := tried(w, append([]string{"settings", "order"}, args...)...); exit.Code != 0 {
			t.Fatalf("%v: %d, %s%s", args, exit.Code, out, exit.Stderr)
		}
	}
	rule("three", "before", "two")
	if got := order("layer", asked); !slices.Equal(got, []string{"one", "three", "two", "asked"}) {
		t.Errorf("three before two: %v", got)
	}
	rule("one", "after", asked)
	if got := order("layer", asked); !slices.Equal(got, []string{"asked", "one", "three", "two"}) {
		t.Errorf("and one after the one that is asked for: %v", got)
	}
	if got := order(); !slices.Equal(got, []string{"one", "three", "two"}) {
		t.Errorf("nothing is asked for: %v", got)
	}
	rule("remove", "one")
	rule("remove", "three")
	if got := order("layer", asked); !slices.Equal(got, []string{"one", "two", "three", "asked"}) {
		t.Errorf("the rules are gone: %v", got)
	}
}
