package worlds

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var (
	howMany   = flag.Int("worlds", 400, "how many worlds")
	shrinking = flag.Bool("shrink", false, "shrink")
	first     = flag.Int64("seed", 1, "seed of the first world; the next one has the next")
)

// told are the beginnings of the lines of vkCreateInstance that the statements' oracle foretells.
var toldLines = []string{
	"LAYER: Searching for ", "DRIVER: Searching for ", "LAYER:    In following", "DRIVER:    In following", "LAYER:    Found ", "DRIVER:    Found ",
	"LAYER:       ", "DRIVER:       ", "INFO: Found manifest file ", "DRIVER: Found ICD manifest file ", "ERROR: loader_get_json: ",
	"WARNING|LAYER: loader_add_layer_properties: Can not find", "WARNING|LAYER: loader_add_layer_properties: Manifest ",
	"WARNING: Removing layer ", "DEBUG: loader_remove_layers_in_blacklist: ", "WARNING: verify_meta_layer_component_layers: ",
	"INFO: verify_meta_layer_component_layers: ", "DEBUG: Removing meta-layer ", "WARNING: Meta-layer ", "INFO|LAYER: Meta-layer ",
	`WARNING|LAYER: Layer "`, "WARNING|LAYER: env var 'VK_INSTANCE_LAYERS'", `ERROR|LAYER: Layer "`, "WARNING|LAYER: Failed to find layer name ",
	"WARNING|LAYER: Override layer has override path ", "INFO|LAYER: Ignoring VK_LAYER_PATH", "ERROR: loader_validate_",
	"DEBUG|DRIVER: Searching for ICD drivers named ", "WARNING|DRIVER: Driver ", "WARNING|DRIVER: loader_parse_icd_manifest: ",
	"INFO|DRIVER: loader_parse_icd_manifest: Driver's ICD JSON ", "ERROR|DRIVER: vkCreateInstance: Found no drivers!",
}

// distinct keeps the lines that are foretold, each once: some may come more than once (ENV-72).
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

// difference is where two observations part.
type difference struct {
	section   string
	got, want []string
}

func (d difference) String() string {
	return fmt.Sprintf("%s:\n    got\n\t%s\n    want\n\t%s\n", d.section, strings.Join(d.got, "\n\t"), strings.Join(d.want, "\n\t"))
}

// compared gives the differences; what is open is left out. After the first try that ends otherwise nothing can agree.
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
		message, read := strings.HasSuffix(w.name, ": messages"), strings.HasSuffix(w.name, ": read")
		if message || read {
			if message {
				g.lines, w.lines = distinct(g.lines), distinct(w.lines)
			}
			lost, more := without(w.lines, g.lines), without(g.lines, w.lines)
			if read { // what may be wanted is read before it is known
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

// without gives the lines that are not among others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

// judged shows a world and asks the oracles: the statements, the tool for a program that asks for nothing, the reference
// where it has what the world needs.
func (w *worker) judged(d *description, flavor flavor) (list []difference) {
	w.build(d)
	seen := w.show(d, w.Loader)
	want, open := w.state(d)
	w.count(want)
	list = compared(seen, want, open)
	if flavor == plain && len(list) == 0 {
		list = w.foretold(d, seen)
	}
	if flavor == common && len(list) == 0 && hasReference() {
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

// count keeps what kinds of worlds there were.
func (w *worker) count(want observation) {
	for _, s := range want {
		switch {
		case s.name == "create 1: result":
			w.kinds["result "+strings.Fields(s.lines[0])[0]]++
		case s.name == "active layers":
			w.kinds[fmt.Sprint(min(len(s.lines), 4), " active")]++
		case s.name == "devices":
			w.kinds[fmt.Sprint(min(len(s.lines)-1, 3), " devices")]++
		case strings.HasPrefix(s.name, "device 1"):
			w.kinds["device: "+strings.Fields(s.lines[0])[1]]++
		}
	}
}

// holds: LAY-144 LAY-267 LAY-276 LAY-277 LAY-297 LAY-298 LAY-307 INS-025 INS-058 INS-060 INS-065 INS-067 INS-074
func TestWorlds(t *testing.T) {
	const workers = 2
	for k := range workers {
		t.Run(fmt.Sprint("worker", k), func(t *testing.T) {
			t.Parallel()
			w := newWorker(t)
			for i := k; i < *howMany; i += workers {
				seed := *first + int64(i)
				d := generate(seed)
				list := w.judged(d, flavorOf(seed))
				if len(list) == 0 {
					continue
				}
				t.Errorf("seed %d\n%s\n", seed, w.text(list))
				if *shrinking {
					section := list[0].section
					d = shrunk(d, func(c *description) bool {
						list := w.judged(c, flavorOf(seed))
						return len(list) > 0 && list[0].section == section
					})
					t.Errorf("seed %d made smaller\n%s\n%s", seed, d, w.text(w.judged(d, flavorOf(seed))))
				}
			}
			t.Log(w.kinds)
			t.Log(w.met)
		})
	}
}
