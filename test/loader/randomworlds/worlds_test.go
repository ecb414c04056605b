package randomworlds

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vkloader/test/lib/world"
)

var (
	howMany = flag.Int("worlds", map[bool]int{false: 500, true: 1000}[os.Getenv("VKLOADER_TEST_ALL") != ""], "how many worlds")
	keep    = flag.Bool("keep", false, "failing worlds, made smaller, become cases in testdata")
	first   = flag.Int64("seed", 1, "seed of the first world; the next one has the next")
)

// toldLines are the beginnings of vkCreateInstance's lines that the oracle by statements predicts.
var toldLines = []string{
	"LAYER: Searching for ", "DRIVER: Searching for ", "LAYER:    In following", "DRIVER:    In following", "LAYER:    Found ", "DRIVER:    Found ",
	"LAYER:       ", "DRIVER:       ", "INFO: Found manifest file ", "DRIVER: Found ICD manifest file ", "ERROR: loader_get_json: ",
	"WARNING|LAYER: loader_add_layer_properties: Can not find", "WARNING|LAYER: loader_add_layer_properties: Manifest ",
	"WARNING: Removing layer ", "DEBUG: loader_remove_layers_in_blacklist: ", "WARNING: verify_meta_layer_component_layers: ",
	"INFO: verify_meta_layer_component_layers: ", "DEBUG: Removing meta-layer ", "WARNING: Meta-layer ", "INFO|LAYER: Meta-layer ",
	`WARNING|LAYER: Layer "`, "WARNING|LAYER: env var 'VK_INSTANCE_LAYERS'", `ERROR|LAYER: Layer "`, "WARNING|LAYER: Failed to find layer name ",
	"WARNING|LAYER: Override layer has override path ", "INFO|LAYER: Ignoring VK_LAYER_PATH", "ERROR: loader_validate_",
	"DEBUG|DRIVER: Searching for ICD drivers named ", "WARNING|DRIVER: Driver ", "WARNING|DRIVER: loader_parse_icd_manifest: ",
	"ERROR: loader_scanned_icd_add: ", "ERROR|DRIVER: loader_icd_scan: ", "DRIVER: Requested ICD ",
	"INFO|DRIVER: loader_parse_icd_manifest: Driver's ICD JSON ", "ERROR|DRIVER: vkCreateInstance: Found no drivers!",
}

// distinct returns the predicted lines, each once: some may occur several times (ENV-72).
func distinct(lines []string) (kept []string) {
	for _, line := range lines {
		told := slices.ContainsFunc(toldLines, func(begin string) bool { return strings.HasPrefix(line, begin) })
		if told && !strings.Contains(line, "forced enabled") && !strings.Contains(line, ":        ") { // nor the call stack
			kept = append(kept, line)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// difference is the first difference of two observations.
type difference struct {
	section   string
	got, want []string
}

func (d difference) String() string {
	return fmt.Sprintf("%s:\n    got\n\t%s\n    want\n\t%s\n", d.section, strings.Join(d.got, "\n\t"), strings.Join(d.want, "\n\t"))
}

// compared returns the differences, without open parts. After the first try with another result, later tries are not
// compared.
func compared(got, want observation, open map[string]bool) (list []difference) {
	for at := 0; at < max(len(got), len(want)); at++ {
		var g, w section
		if at < len(got) {
			g = got[at]
		}
		if at < len(want) {
			w = want[at]
		}
		if g.name != w.name {
			return append(list, difference{g.name + " in place of " + w.name, g.lines, w.lines})
		}
		if open[w.name] {
			continue
		}
		message, read := strings.HasSuffix(w.name, ": messages"), strings.HasSuffix(w.name, ": read") || strings.HasSuffix(w.name, ": told")
		if message || read {
			if message {
				g.lines, w.lines = distinct(g.lines), distinct(w.lines)
			}
			lost, more := without(w.lines, g.lines), without(g.lines, w.lines)
			if read { // facts may be read before they are needed, and a messenger receives more than is predicted
				more = nil
			}
			if len(lost)+len(more) > 0 {
				list = append(list, difference{w.name, more, lost})
			}
			continue
		}
		if !slices.Equal(g.lines, w.lines) {
			list = append(list, difference{w.name, g.lines, w.lines})
		}
	}
	return list
}

// without returns the lines that are not among others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

// judged runs a world and compares it with the oracles: the statements, the tool if the program enables nothing, and the reference if it
// has the features of the world.
func (w *worker) judged(d *description) (list []difference) {
	w.build(d)
	seen := w.show(d, w.Loader)
	want, open := w.state(d)
	w.count(d, want)
	list = compared(seen, want, open)
	if d.flavor == plain && len(list) == 0 {
		list = w.foretold(d, seen)
	}
	if d.flavor == common && len(list) == 0 && hasReference() {
		c, known := w.contrasted(d, seen, open)
		switch {
		case c != nil:
			c.section = "reference: " + c.section
			list = append(list, c.difference)
		case known != nil:
			w.met[known.statement]++
		}
	}
	return list
}

func (w *worker) text(list []difference) string {
	var out strings.Builder
	for _, diff := range list {
		out.WriteString(diff.String())
	}
	return strings.ReplaceAll(out.String(), w.Root, "$R")
}

// count counts the kinds of worlds.
func (w *worker) count(d *description, want observation) {
	for kind, is := range map[string]bool{"linked": len(d.links) > 0, "direct": len(d.app.direct) > 0,
		"configured": strings.Contains(d.String(), `"device_configurations"`)} {
		if is {
			w.kinds[kind]++
		}
	}
	for _, s := range want {
		switch {
		case s.name == "create 1: told", s.name == "surface support", s.name == "again: result", s.name == "allocator":
			w.kinds[s.name]++
		case s.name == "create 1: result":
			w.kinds["result "+strings.TrimSuffix(strings.Fields(s.lines[0])[0], ",")]++
		case s.name == "active layers":
			w.kinds[fmt.Sprint(min(len(s.lines), 4), " active")]++
		case s.name == "devices":
			w.kinds[fmt.Sprint(min(len(s.lines)-1, 3), " devices")]++
		case strings.HasPrefix(s.name, "device 1"):
			w.kinds["device: "+strings.TrimSuffix(strings.Fields(s.lines[0])[1], ",")]++
		}
	}
}

// lessen makes a failing world smaller and prints it; with -keep it stores the world.
func (w *worker) lessen(d *description, what, section string) {
	d = shrunk(d, func(c *description) bool {
		list := w.judged(c)
		return len(list) > 0 && list[0].section == section
	})
	d.why = what + ", " + section
	w.t.Errorf("%s, made smaller:\n%s\n%s", what, d, w.text(w.judged(d)))
	if !*keep {
		w.t.Log("-args -keep writes it into testdata")
		return
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, d.why)
	w.must(os.WriteFile("testdata/"+name+".txtar", []byte(d.String()), 0o644))
}

func TestMain(m *testing.M) {
	world.FilesInMemory()
	m.Run()
}

// holds: LAY-144 LAY-267 LAY-276 LAY-277 LAY-297 LAY-298 LAY-307 INS-025 INS-058 INS-060 INS-065 INS-067 INS-074
// holds: ENV-74 ENV-80 SET-50 SET-53 SET-54 SET-57 SET-58 SET-83 PHY-012 PHY-027 DEV-001 DEV-016 DEV-026 GPA-003 GPA-004
// holds: ALC-006 ALC-027 ALC-028 DBG-006 DBG-014 DBG-016 DRV-081..DRV-085 DRV-087 DRV-090..DRV-093 DRV-097 LOG-10 PATH-19 PATH-21
// holds: PHY-074 PHY-075 SET-90..SET-98 SET-103 WSI-026 WSI-027
func TestWorlds(t *testing.T) {
	const workers = 2
	kinds, met := map[string]int{}, map[string]int{}
	t.Run("workers", func(t *testing.T) {
		var lock sync.Mutex
		for k := range workers {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				w := newWorker(t)
				for i := k; i < *howMany; i += workers {
					seed := *first + int64(i)
					d := generate(seed)
					if list := w.judged(d); len(list) > 0 {
						t.Errorf("seed %d\n%s", seed, w.text(list))
						w.lessen(d, fmt.Sprint("seed ", seed), list[0].section)
					}
				}
				lock.Lock()
				defer lock.Unlock()
				for kind, n := range w.kinds {
					kinds[kind] += n
				}
				for statement, n := range w.met {
					met[statement] += n
				}
			})
		}
	})
	t.Log(kinds)
	t.Log("known differences of the reference:", met)
	if *howMany >= 500 && (kinds["device: 0"] < *howMany/3 || kinds["2 active"] < *howMany/50 || kinds["result 0"] < *howMany/4) {
		t.Error("these worlds are too poor to show anything")
	}
	for _, kind := range []string{"create 1: told", "surface support", "again: result", "allocator", "linked", "direct", "configured"} {
		if *howMany >= 500 && kinds[kind] < *howMany/200 {
			t.Errorf("%d worlds of the kind %q among %d", kinds[kind], kind, *howMany)
		}
	}
	for _, known := range knownDifferences {
		if *howMany >= 10000 && hasReference() && met[known.statement] == 0 {
			t.Errorf("a known difference that no world has met: %s", known.statement)
		}
	}
}
