package settings

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/manifest"
)

// list returns a list of layers in a short form: names, "*" for the place of all others, "!" before a disabled layer.
func list(t *testing.T, object map[string]any) string {
	t.Helper()
	elements, has := entries(object)
	if !has {
		return "none"
	}
	var words []string
	for _, e := range elements {
		word := nameOf(e)
		if isOthers(e) {
			word = "*"
		}
		if controlOf(e) == "off" {
			word = "!" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// An order names as few layers as possible, keeps existing entries, and can be removed completely.
func TestArrange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, layers, rules, after string }{
		{"none", "a b c d", "c<a", "c *"},
		{"none", "a b c d", "d<c", "* c"},
		{"none", "a b c d", "b<c", "a b *"}, // the rule is needed: without it, the default order holds only by chance
		{"none", "a b c d", "d<c c<a", "d c *"},
		{"none", "a b", "b<a", "b *"},
		{"a b", "a b", "b<a", "b a"}, // no other layers were enabled, and none are added
		{"a * d", "a b c d", "c<b", "a c * d"},
		{"a * d", "a b c d", "d<a", "d a *"},
		{"a *", "a", "", "a *"},
		{"!x a * d", "a d", "d<a", "!x d a *"},
		{"gone * d", "b d", "d<b", "gone d *"},
	} {
		object := map[string]any{}
		if c.before != "none" {
			var array []any
			for _, word := range strings.Fields(c.before) {
				name, off := strings.CutPrefix(word, "!")
				e := map[string]any{"name": name, "control": "on", "path": "/" + name}
				if off {
					e["control"] = "off"
				}
				if word == "*" {
					e = map[string]any{"control": "unordered_layer_location"}
				}
				array = append(array, e)
			}
			object["layers"] = array
		}
		var layers []*manifest.Layer
		for _, name := range strings.Fields(c.layers) {
			layers = append(layers, &manifest.Layer{Name: name, Manifest: "/" + name})
		}
		var rules []OrderRule
		for _, word := range strings.Fields(c.rules) {
			upper, lower, _ := strings.Cut(word, "<")
			rules = append(rules, OrderRule{Upper: upper, Lower: lower})
		}
		was, _ := json.Marshal(object)
		if !arrange(object, layers, rules) {
			t.Errorf("%+v is not possible", c)
		}
		if got := list(t, object); got != c.after {
			t.Errorf("%s with %s becomes %q, want %q", c.before, c.rules, got, c.after)
		}
		object = copied(object) // as after reading the file
		strip(object)
		if now, _ := json.Marshal(object); string(now) != string(was) {
			t.Errorf("%s with %s is afterwards\n%s, was\n%s", c.before, c.rules, now, was)
		}
	}
}

// A layer that a quarantine disabled after a rule stays disabled when the rule is removed.
func TestStripQuarantined(t *testing.T) {
	t.Parallel()
	object := map[string]any{}
	arrange(object, []*manifest.Layer{{Name: "a"}, {Name: "b"}}, []OrderRule{{Upper: "b", Lower: "a"}})
	elements, _ := entries(object)
	elements[slices.IndexFunc(elements, func(e entry) bool { return nameOf(e) == "b" })]["control"] = "off"
	if strip(object); list(t, object) != "!b *" {
		t.Errorf("it is now %q", list(t, object))
	}
}

// Rules that form a cycle are rejected.
func TestCycle(t *testing.T) {
	t.Parallel()
	rules := []OrderRule{{Upper: "a", Lower: "b"}, {Upper: "b", Lower: "c"}, {Upper: "c", Lower: "a"}}
	if _, possible := sorted([]string{"a", "b", "c"}, rules); possible {
		t.Error("it is possible")
	}
	if order, possible := sorted([]string{"c", "x", "b", "a"}, rules[:2]); !possible || !slices.Equal(order, []string{"a", "b", "c", "x"}) {
		t.Errorf("%v", order)
	}
}
