package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

func suspects(kind Kind, names ...string) (list []Suspect) {
	for _, n := range names {
		list = append(list, Suspect{Kind: kind, Name: n, Library: "/lib/libVk_" + n + ".so"})
	}
	return list
}

// The driver whose device lacks an extension is the culprit, and not the layer that puts the device first. No driver is
// left out if none has a device.
func TestFindByLog(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first    Seen
		culprits string
		runs     int
	}{{Seen{Lacks: "VK_KHR_a"}, "[slow]", 3}, {Seen{Deviceless: "no driver"}, "[]", 1}, {Seen{}, "[orders]", 3}} {
		trial := func(without []Suspect) (*Seen, error) {
			seen := c.first
			seen.Good = slices.ContainsFunc(without, func(s Suspect) bool { return s.Name == "orders" || s.Name == "slow" })
			return &seen, nil
		}
		v, err := FindCulprit(trial, func(*Seen) *Suspects {
			found := &Suspects{Drivers: suspects(Driver, "fast", "slow")}
			if c.first.Deviceless == "" {
				found.Layers = suspects(Layer, "orders")
			}
			return found
		})
		if names := term.Words(v.Culprits, func(x Suspect) string { return x.Name }); err != nil || fmt.Sprint(names) != c.culprits || len(v.Runs) != c.runs {
			t.Errorf("%+v: %+v, %v", c.first, v, err)
		}
	}
}

// FindCulprit finds every single culprit, two culprits, and a culprit in the call stack, with no more runs than halving
// takes.
func TestFind(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	for _, c := range []struct {
		bad     []string
		kind    Kind
		files   []string
		result  SearchResult
		culprit []string
		most    int
	}{
		{nil, "layer", nil, EndedWell, nil, 1},
		{[]string{"a"}, "layer", nil, FoundCulprit, []string{"a"}, 7},
		{[]string{"g"}, "layer", nil, FoundCulprit, []string{"g"}, 7},
		{[]string{"d"}, "layer", []string{"/lib/libc.so.6", "/lib/libVk_d.so"}, FoundCulprit, []string{"d"}, 4},
		{[]string{"d"}, "layer", []string{"/lib/libVk_e.so.1"}, FoundCulprit, []string{"d"}, 8},
		{[]string{"c", "f"}, "layer", nil, FoundCulprit, []string{"c", "f"}, 11},
		{[]string{"e"}, "driver", nil, FoundCulprit, []string{"e"}, 6},
		{[]string{"b"}, "variable", nil, FoundCulprit, []string{"b"}, 6},
		{[]string{"one"}, "variable", nil, FoundCulprit, []string{"one"}, 4},
		{[]string{"program"}, "layer", nil, NothingToLeaveOut, nil, 2},
		{[]string{"program"}, "driver", nil, NothingToLeaveOut, nil, 40},
	} {
		runs := 0
		trial := func(without []Suspect) (*Seen, error) {
			runs++
			seen := &Seen{Good: true, Files: c.files}
			for _, b := range c.bad {
				if !slices.ContainsFunc(without, func(s Suspect) bool { return s.Name == b }) {
					seen.Good = false
				}
			}
			return seen, nil
		}
		v, err := FindCulprit(trial, func(*Seen) *Suspects {
			switch c.kind {
			case Layer:
				return &Suspects{Layers: suspects(Layer, names...), Drivers: suspects(Driver, "one")}
			case Variable:
				return &Suspects{Variables: suspects(Variable, names...), Layers: suspects(Layer, "one")}
			}
			return &Suspects{Drivers: suspects(Driver, names...)}
		})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, x := range v.Culprits {
			found = append(found, x.Name)
		}
		if v.Result != c.result || !slices.Equal(slices.Sorted(slices.Values(found)), c.culprit) || runs > c.most || len(v.Runs) != runs {
			t.Errorf("%v: %s %v after %d runs", c, v.Result, found, runs)
		}
	}
}

// For a loader without filters, one variable lists the other drivers; VK_DRIVER_FILES as well only where it is set.
func TestWithoutByFiles(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{"A=1": "VK_ICD_FILENAMES=/b.json", "VK_DRIVER_FILES=/a.json:/b.json": "VK_DRIVER_FILES=/b.json VK_ICD_FILENAMES=/b.json"} {
		scene := &Scene{Source: &machine.Source{Machine: machine.Machine{Environ: []string{environ}}}, ByFiles: true,
			Answer: &plan.Answer{Drivers: []*manifest.Driver{{Path: "/a.json"}, {Path: "/b.json"}}}}
		_, changes := scene.Without([]Suspect{{Kind: Driver, Name: "a.json", Manifest: "/a.json"}})
		got := term.Words(changes, func(c explain.Change) string { return string(c.Assignment()) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", environ, got, want)
		}
	}
}

// Two layers that fail only together are both named.
func TestFindTogether(t *testing.T) {
	t.Parallel()
	v, err := FindCulprit(func(without []Suspect) (*Seen, error) {
		left := map[string]bool{"a": true, "b": true, "c": true}
		for _, w := range without {
			delete(left, w.Name)
		}
		return &Seen{Good: !left["a"] || !left["c"]}, nil
	}, func(*Seen) *Suspects { return &Suspects{Layers: suspects(Layer, "a", "b", "c")} })
	if err != nil || v.Result != FoundCulprit || len(v.Culprits) != 1 || len(v.With) != 1 || v.Culprits[0].Name+v.With[0].Name != "ca" {
		t.Errorf("%+v, %v", v, err)
	}
}

// A program that asks for a layer that is not installed runs once: it fails without any driver and layer, too.
func TestFindOfMissingLayer(t *testing.T) {
	t.Parallel()
	v, err := FindCulprit(func([]Suspect) (*Seen, error) { return &Seen{Refused: "x"}, nil },
		func(*Seen) *Suspects {
			return &Suspects{Layers: suspects(Layer, "a", "b"), Drivers: suspects(Driver, "c", "d")}
		})
	if err != nil || v.Result != NothingToLeaveOut || len(v.Runs) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// A search ends when a run is cancelled or impossible.
func TestFindEnds(t *testing.T) {
	t.Parallel()
	more := func(*Seen) *Suspects { return &Suspects{Layers: suspects(Layer, "a", "b", "c")} }
	for stop := 1; stop < 5; stop++ {
		runs := 0
		v, err := FindCulprit(func(w []Suspect) (*Seen, error) {
			runs++
			return &Seen{Good: len(w) == 3, Stopped: runs == stop}, nil
		}, more)
		if err != nil || v.Result != BrokenOff || runs != stop {
			t.Errorf("stopped in run %d: %+v after %d, %v", stop, v, runs, err)
		}
		runs = 0
		if _, err = FindCulprit(func(w []Suspect) (*Seen, error) {
			if runs++; runs == stop {
				return nil, fmt.Errorf("no more")
			}
			return &Seen{Good: len(w) == 3}, nil
		}, more); err == nil {
			t.Errorf("an error in run %d is lost", stop)
		}
	}
}
