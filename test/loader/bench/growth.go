package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// grown is a world of a given size: a number of manifests of unused layers, of layers in the chain, or of drivers.
type grown struct {
	kind  string // manifests, layers, drivers
	n     int
	items []string // keys of its measurements
}

// growthKinds are the kinds in display order, with the title for a number of them.
var growthKinds = []struct{ name, title string }{
	{"manifests", "manifests of layers that nobody asks for"},
	{"layers", "layers in the chain"},
	{"drivers", "drivers"},
}

func growth() []grown {
	var list []grown
	for _, n := range []int{1, 10, 100, 1000} {
		list = append(list, grown{"manifests", n, []string{"cold", "cycle", "layers"}})
	}
	for _, n := range []int{1, 4, 16, 64} {
		list = append(list, grown{"layers", n, []string{"cold", "cycle", "list", "create-device", "gdpa"}})
	}
	for _, n := range []int{1, 2, 4, 8, 16} {
		list = append(list, grown{"drivers", n, []string{"cold", "cycle", "extensions", "list", "create-device"}})
	}
	return list
}

// grow measures the worlds of all sizes.
func (b *bench) grow() ([]row, error) {
	var sets []set
	worlds := growth()
	for _, g := range worlds {
		s, err := b.makeWorld(g)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	var rows []row
	for i, g := range worlds {
		var list []item
		for _, key := range g.items {
			list = append(list, itemOf(key))
		}
		more, err := b.times(sets[i], list, max(3, b.rounds/4))
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			r.Group = "growth"
			rows = append(rows, r)
		}
	}
	limitSteps(rows)
	return rows, nil
}

// limitSteps checks how much this loader's time grows from one size to ten times as much.
func limitSteps(rows []row) {
	for i := range rows {
		r := &rows[i]
		var size int
		var kind string
		b := budgetOf(r.Set, r.Item)
		if b == nil || b.step == 0 || r.Met == nil {
			continue
		}
		if n, _ := fmt.Sscanf(r.Set, "%d %s", &size, &kind); n != 2 {
			continue
		}
		for _, before := range rows {
			if before.Item == r.Item && before.Set == fmt.Sprintf("%d %s", size/10, kind) {
				met := *r.Met && r.Ours.Median <= b.step*before.Ours.Median
				r.Budget, r.Met = fmt.Sprintf("%s, ≤ %.0f × %s", r.Budget, b.step, before.Set), &met
			}
		}
	}
}

func itemOf(key string) item {
	for _, it := range items {
		if it.key == key {
			return it
		}
	}
	panic("no item " + key)
}

func (b *bench) makeWorld(g grown) (set, error) {
	s := set{name: fmt.Sprintf("%d %s", g.n, g.kind)}
	directory := filepath.Join(b.scratch, fmt.Sprintf("%s%d", g.kind, g.n))
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return s, err
	}
	null := filepath.Join(b.build, "drivers/null_icd.json")
	switch g.kind {
	case "drivers":
		var files []string
		for i := range g.n {
			library := fmt.Sprintf("driver%d.so", i)
			if err := copyFile(filepath.Join(b.build, "drivers/libvk_null.so"), filepath.Join(directory, library)); err != nil {
				return s, err
			}
			files = append(files, filepath.Join(directory, fmt.Sprintf("driver%d.json", i)))
			text := fmt.Sprintf(`{"file_format_version": "1.0.1", "ICD": {"library_path": "./%s", "api_version": "1.3.0"}}`, library)
			if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
				return s, err
			}
		}
		s.environ = b.environ(strings.Join(files, ":"), true)
	default:
		var names []string
		for i := range g.n {
			library := fmt.Sprintf("layer%d.so", i)
			if g.kind == "layers" {
				names = append(names, fmt.Sprintf("VK_LAYER_BENCH_%d", i))
				if err := copyFile(filepath.Join(b.programs, "libVkLayer_nothing.so"), filepath.Join(directory, library)); err != nil {
					return s, err
				}
			}
			text := fmt.Sprintf(`{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_BENCH_%d", "type": "GLOBAL",
    "library_path": "./%s", "api_version": "1.3.0", "implementation_version": "1", "description": "A layer that does nothing"}}`,
				i, library)
			if err := os.WriteFile(filepath.Join(directory, fmt.Sprintf("layer%d.json", i)), []byte(text), 0o644); err != nil {
				return s, err
			}
		}
		s.environ = b.environ(null, true, "VK_LAYER_PATH="+directory)
		if names != nil {
			s.environ = append(s.environ, "VK_INSTANCE_LAYERS="+strings.Join(names, ":"))
		}
	}
	return s, nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}
