package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// page is the documentation page that this test compares with the tool.
const page = "../../../docs/complaints.md"

// complaint is a section of the page.
type complaint struct {
	title, world string
	shown        []shown
}

// shown is a command with its output on the page: blocks of consecutive lines.
type shown struct {
	args   []string
	blocks []string
}

// readComplaints parses the page. A section has a line "World: `NAME`" and fenced blocks that begin with "$ vkloader ..."; a
// line "..." in them stands for any lines.
func readComplaints(t *testing.T) []complaint {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var list []complaint
	fence := false
	for _, line := range strings.Split(string(text), "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			list = append(list, complaint{title: title})
		}
		if len(list) == 0 {
			continue
		}
		c := &list[len(list)-1]
		if name, ok := strings.CutPrefix(line, "World: `"); ok {
			c.world, _, _ = strings.Cut(name, "`")
		}
		switch {
		case strings.HasPrefix(line, "```"):
			fence = !fence
		case !fence:
		case strings.HasPrefix(line, "$ vkloader "):
			c.shown = append(c.shown, shown{args: strings.Fields(line)[2:], blocks: []string{""}})
		case len(c.shown) == 0:
			t.Fatalf("%s: a block without a command: %s", c.title, line)
		case line == "...":
			last := &c.shown[len(c.shown)-1]
			last.blocks = append(last.blocks, "")
		default:
			last := &c.shown[len(c.shown)-1]
			last.blocks[len(last.blocks)-1] += line + "\n"
		}
	}
	return list
}

// probeWorlds are machines with real libraries: drivers and layers that misbehave when they are loaded.
var probeWorlds = map[string]func(*world.World){
	"crashing-layer": func(w *world.World) {
		w.Driver("good")
		brokenLayer(w, "crash")
		w.ImplicitLayer("VK_LAYER_fine")
	},
	"hanging-layer": func(w *world.World) {
		w.Driver("good")
		brokenLayer(w, "hang")
	},
	"crashing-driver": func(w *world.World) {
		w.Driver("good")
		w.Driver("old", "device name=old", "die vkCreateInstance")
	},
	"failing-driver": func(w *world.World) {
		w.Driver("good")
		w.Driver("bad", "device name=bad", "result vkCreateInstance -3")
	},
	"hanging-driver": func(w *world.World) {
		w.Driver("stuck", "device name=stuck", "delay vkEnumeratePhysicalDevices 3600000")
	},
	"crash-at-end": func(w *world.World) { w.Driver("late", "device name=late", "die vkDestroyInstance") },
	"failing-layer": func(w *world.World) {
		w.Driver("good")
		w.ImplicitLayer("VK_LAYER_no", "error vkCreateInstance -7 before")
	},
	"slow-layer": func(w *world.World) {
		w.Driver("good")
		w.ImplicitLayer("VK_LAYER_ACME_overlay", "delay vkCreateInstance 8000")
		w.ImplicitLayer("VK_LAYER_fine")
	},
	"crashing-present": func(w *world.World) {
		w.NoShim = true
		w.Env["VK_DRIVER_FILES"] = filepath.Join(built, "drivers/null_icd.json")
		w.Env["DISPLAY"] = world.Unset
		w.ImplicitLayer("VK_LAYER_fine")
		w.ImplicitLayer("VK_LAYER_ACME_overlay", "intercept vkQueueSubmit", "die vkQueueSubmit", "intercept vkQueuePresentKHR",
			"die vkQueuePresentKHR")
	},
	"updated-process": func(w *world.World) {
		w.Driver("acme")
		library := w.ImplicitLayer("VK_LAYER_ACME_overlay").Library
		h := w.Start()
		h.OK("create_instance")
		if err := os.Remove(library); err != nil {
			w.T.Fatal(err)
		}
		w.Copy(world.Layer, "VK_LAYER_ACME_overlay")
		w.Env[processVariable] = fmt.Sprint(h.Pid())
	},
	"empty-driver": func(w *world.World) { w.Driver("empty", "quiet *") },
}

// processVariable is the variable with the ID of a world's process, for commands: $PID.
const processVariable = "WORLD_PROCESS"

// brokenLayer adds an implicit layer that executes the same code in each function.
func brokenLayer(w *world.World, code string) {
	l := w.ImplicitLayer("VK_LAYER_ACME_overlay")
	library, err := binary.Parse(strings.Fields("exports=vkNegotiateLoaderLayerInterfaceVersion code=" + code))
	if err == nil {
		err = os.WriteFile(l.Library, library.Bytes(), 0o755)
	}
	if err != nil {
		w.T.Fatal(err)
	}
}

// site builds the world of a complaint. run returns the tool's output there, with some variables changed, as NAME=VALUE or NAME.
func site(t *testing.T, name string) (run func(changes []string, args ...string) string) {
	t.Helper()
	if lay := probeWorlds[name]; lay != nil {
		w := world.New(t)
		lay(w)
		// The tool is not interposed, so without explicit layers in the world it would find the machine's.
		w.ExplicitLayer("VK_LAYER_idle")
		w.ImplicitLayer("VK_LAYER_idle_too").Set("enable_environment", map[string]any{"NEVER_SET": "1"})
		return func(changes []string, args ...string) string {
			for _, c := range changes {
				args = append(args, "--env", c)
			}
			for i := range args {
				args[i] = strings.ReplaceAll(strings.ReplaceAll(args[i], "$BUILD", built), "$PID", w.Env[processVariable])
			}
			out, exit := w.Run(4*time.Minute, filepath.Join(built, "vkloader"), args...)
			if args[0] == "run" { // standard output is the program's
				out = exit.Stderr
			}
			return strings.ReplaceAll(strings.ReplaceAll(out, w.Root, "/world"), built, "$BUILD")
		}
	}
	root := t.TempDir()
	m, err := build(filepath.Join("testdata/machines", name+".txtar"), root)
	if err != nil {
		t.Fatal(err)
	}
	return func(changes []string, args ...string) string {
		options := []string{"--root", root}
		for _, v := range m.env {
			options = append(options, "--env", v)
		}
		options = append(options, args...)
		for _, c := range changes {
			options = append(options, "--env", c)
		}
		return output(t, options...)
	}
}

var (
	titleLine = regexp.MustCompile(`(?m)^(problem|warning|note) .*$`)
	cureLine  = regexp.MustCompile(`(?:export|unset) (\w+)(?:=('[^']*'|\S+))?|env (?:-u )?(\w+)(?:=('[^']*'|\S+))? PROGRAM|'Environment="(\w+)=([^"]*)"'`)
)

// The tool prints the page's output in the world of each complaint. After a fix by a variable, the finding is gone.
func TestComplaints(t *testing.T) {
	t.Parallel()
	list := readComplaints(t)
	if len(list) < 12 {
		t.Fatalf("%d complaints", len(list))
	}
	for _, c := range list {
		t.Run(strings.ReplaceAll(c.title, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if c.world == "" || len(c.shown) == 0 {
				t.Fatal("a complaint without a world or a command")
			}
			if strings.Contains(fmt.Sprint(c.shown), ", 1 note ") {
				needSys(t)
			}
			run := site(t, c.world)
			for _, s := range c.shown {
				out := run(nil, slices.Clone(s.args)...)
				rest := out
				for _, block := range s.blocks {
					_, after, ok := strings.Cut(rest, strings.TrimPrefix(block, "\n"))
					if !ok {
						t.Errorf("vkloader %s does not say, in this order,\n%s\nbut\n%s", strings.Join(s.args, " "), block, out)
						break
					}
					rest = after
				}
				if s.args[0] == "doctor" {
					fix(t, run, s)
				}
			}
		})
	}
}

// fix follows a printed fix that sets or unsets a variable.
func fix(t *testing.T, run func([]string, ...string) string, s shown) {
	t.Helper()
	for _, block := range s.blocks {
		title := titleLine.FindString(block)
		_, do, ok := strings.Cut(block, "    do    ")
		if title == "" || !ok {
			continue
		}
		do, _, _ = strings.Cut(do, "\n")
		word := cureLine.FindStringSubmatch(do)
		if word == nil {
			continue
		}
		change := word[1] + word[3] + word[5]
		if value := word[2] + word[4] + word[6]; value != "" {
			change += "=" + strings.Trim(value, "'")
		}
		if out := run([]string{change}, slices.Clone(s.args)...); strings.Contains(out, title+"\n") {
			t.Errorf("with %s it still says\n%s", change, out)
		}
	}
}

// output returns the tool's output. Any exit code is allowed except that of wrong usage; a signal is not.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, code := runBuilt(t, args...)
	if code != 0 && code != 1 {
		t.Fatalf("vkloader %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

func runBuilt(t *testing.T, args ...string) (string, int) {
	t.Helper()
	w := world.New(t)
	out, exit := w.Run(2*time.Minute, filepath.Join(built, "vkloader"), args...)
	if exit.Code < 0 {
		return fmt.Sprint(out, exit.Stderr), -1
	}
	return out + exit.Stderr, exit.Code
}
