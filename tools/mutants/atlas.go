package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// atlas describes the tests: how long each takes, and which lines it executes. It is stored in build/mutants. It also
// stores the text of the sources, so that a line is found again after edits.
type atlas struct {
	Tests   map[string]*chart
	Sources map[string]string // the text of each file when the atlas was made

	mutex   sync.Mutex
	path    string
	mapping map[string][]int
}

// chart describes one test.
type chart struct {
	Seconds  float64
	Doubtful bool             `json:",omitempty"` // it fails on the instrumented build
	Unsound  bool             `json:",omitempty"` // it fails without a fault
	Lines    map[string][]int // executed lines by file
}

// readAtlas reads the results of earlier runs.
func readAtlas(path string) (*atlas, error) {
	a := &atlas{path: path}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, a)
	}
	if a.Tests == nil {
		a.Tests, a.Sources = map[string]*chart{}, map[string]string{}
	}
	a.mapping = map[string][]int{}
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	return a, err
}

func (a *atlas) write() error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(a.path), 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(a.path+".new", text, 0o644), os.Rename(a.path+".new", a.path))
}

func (a *atlas) seconds(test testName) float64 {
	slower := 1.0
	if test.build != "" {
		slower = 3
	}
	test.build = ""
	if c := a.Tests[test.String()]; c != nil {
		return slower * (c.Seconds + 0.03)
	}
	return slower
}

// testTime returns a test's time for the limits on it. A test that was never surveyed may be slow.
func (a *atlas) testTime(test testName) float64 {
	if c := a.Tests[testName{test.pack, test.name, ""}.String()]; c == nil || c.Lines == nil {
		return a.seconds(test) + 20
	}
	return a.seconds(test)
}

// survey runs the tests that are not in the atlas on an instrumented build, each alone, and records their lines and times.
// An instrumented tree cannot be used for faults afterwards.
func (a *atlas) survey(t *tree, say func(string, ...any)) (instrumented bool, err error) {
	var unread []testName
	for _, p := range t.packages {
		tests, err := t.list(p.name)
		if err != nil {
			return false, err
		}
		for _, test := range tests {
			c := a.Tests[test.String()]
			if !building.MatchString(test.String()) && (c == nil || c.Lines == nil && !c.Unsound) {
				unread = append(unread, test)
			}
		}
	}
	if len(unread) == 0 {
		return false, nil
	}
	say("reading what %d tests execute", len(unread))
	for file := range a.Sources { // the lines of a new test are those of the sources as they are now
		if text, err := os.ReadFile(t.path(file)); err != nil || string(text) != a.Sources[file] {
			if err := a.move(file, string(text)); err != nil {
				return false, err
			}
		}
	}
	names, err := sources(t.directory)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		text, err := os.ReadFile(t.path(name))
		if err != nil {
			return false, err
		}
		a.Sources[name] = string(text)
	}
	m, err := t.instrument()
	if err != nil {
		return false, err
	}
	for i, test := range unread {
		if err := m.clear(); err != nil {
			return true, err
		}
		all, failed, err := t.perform(test.pack, "", []string{test.name}, patience(30, ""), false)
		if err != nil {
			return true, err
		}
		lines, err := m.executedLines()
		if err != nil {
			return true, err
		}
		a.Tests[test.String()] = &chart{Seconds: all[test.name].seconds, Doubtful: failed != "", Lines: lines}
		if i+1 == len(unread) || unread[i+1].pack != test.pack {
			say("%d tests read, with %s", i+1, test.pack)
			if err := a.write(); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// judge runs the doubtful tests again, on a build without faults. A test that fails there, too, is unsound.
func (a *atlas) judge(t *tree, say func(string, ...any)) error {
	for name, c := range a.Tests {
		if !c.Doubtful {
			continue
		}
		ok, err := t.passes(parseName(name), a)
		if err != nil {
			return err
		}
		if c.Doubtful, c.Unsound = false, !ok; !ok {
			say("left out, as it fails without any fault: %s", name)
		}
	}
	return a.write()
}

// move translates all charts from the remembered text of a file to another text.
func (a *atlas) move(file, text string) error {
	back := match(lines(a.Sources[file]), lines(text)) // new to old
	forth := map[int]int{}
	for i := len(back) - 1; i > 0; i-- {
		if back[i] > 0 {
			forth[back[i]] = i
		}
	}
	for _, c := range a.Tests {
		var moved []int
		for _, line := range c.Lines[file] {
			if n := forth[line]; n > 0 {
				moved = append(moved, n)
			}
		}
		if c.Lines != nil {
			c.Lines[file] = moved
		}
	}
	a.Sources[file] = text
	return nil
}

func lines(text string) []string { return strings.SplitAfter(text, "\n") }

// match pairs the lines of two texts by their longest common sequence. For every line of the second text, from 1, it
// gives the line of the first, or the nearest one before that has a pair, as a negative number.
func match(old, now []string) []int {
	length := make([][]int, len(old)+1)
	for i := range length {
		length[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if old[i] == now[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	out := make([]int, len(now)+1)
	last := 0
	for i, j := 0, 0; j < len(now); {
		switch {
		case i < len(old) && old[i] == now[j]:
			i, j = i+1, j+1
			last = i
			out[j] = i
		case i < len(old) && length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
			out[j] = -last
		}
	}
	return out
}

// atlasLine returns the line in the atlas's text of the source that corresponds to a fault's line.
func (a *atlas) atlasLine(m mutant) int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.mapping[m.file] == nil {
		a.mapping[m.file] = match(lines(a.Sources[m.file]), lines(m.text))
	}
	n := a.mapping[m.file][m.line]
	return max(n, -n)
}

// function returns the first and the last line of the function that contains a line of the remembered source.
func (a *atlas) function(file string, line int) (from, to int, ok bool) {
	if strings.HasSuffix(file, ".c") {
		return within(lines(a.Sources[file]), line)
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, a.Sources[file], parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, false
	}
	for _, d := range parsed.Decls {
		if f, is := d.(*ast.FuncDecl); is {
			from, to = files.Position(f.Pos()).Line, files.Position(f.End()).Line
			if line >= from && line <= to {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// about names the package whose tests are about a file of the spine; these come first if all tests execute a line. A file takes
// precedence over its directory.
var about = map[string]string{
	"callback": "test/loader/debug", "configuration": "test/loader/discovery", "core": "test/loader/guest",
	"device":  "test/loader/chain",
	"display": "test/loader/physdev", "driver": "test/loader/drivers", "exit": "test/loader/guest",
	"filter": "test/loader/instance", "gate": "test/loader/guest",
	"global": "test/loader/discovery", "group": "test/loader/physdev", "instance": "test/loader/chain",
	"plan":  "test/loader/discovery",
	"layer": "test/loader/layers", "library": "test/loader/drivers", "log": "test/loader/discovery",
	"answer_cache": "test/loader/guest", "memory": "test/loader/drivers",
	"messenger": "test/loader/debug", "missing": "test/loader/dispatch", "names": "test/loader/dispatch",
	"naming":  "test/loader/debug",
	"objects": "test/loader/chain", "physdev": "test/loader/physdev", "query": "test/loader/physdev",
	"read": "test/loader/discovery",
	"sort": "test/loader/physdev", "surface": "test/loader/wsi", "surface_query": "test/loader/wsi",
	"swapchain": "test/loader/wsi",
	"text":      "test/loader/physdev", "unknown": "test/loader/dispatch", "ask": "test/loader/guest",
	"process": "test/loader/guest", "state": "test/loader/drivers",
	"dispatch": "test/loader/dispatch", "wsi": "test/loader/wsi", "debug": "test/loader/debug",
}

func aboutFile(file string) string {
	if pack := about[strings.TrimSuffix(filepath.Base(file), ".c")]; pack != "" {
		return pack
	}
	return about[filepath.Base(filepath.Dir(file))]
}

// chances orders the tests for a fault: first the quick tests that execute its line, then the tests that execute its
// function. It leaves out other tests, which cannot notice the fault. For a fault outside of functions, it returns
// all tests.
func (a *atlas) chances(m mutant, t *tree) (order []testName, executed bool) {
	line := a.atlasLine(m)
	from, to, inside := a.function(m.file, line)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	type candidate struct {
		test  testName
		score float64
	}
	var all []candidate
	directory := packageOf(m.file)
	for _, p := range t.packages {
		// the probability that the package's tests notice the fault; the seconds until they run
		own, cost := 1.0, 0.1
		if isInSpine(m.file) && aboutFile(m.file) == p.name {
			own = 8
		} else if directory == p.name || strings.HasPrefix(p.name, directory+"/") {
			own = 3
		} else if p.needs[directory] {
			cost = 2 // for building them
		}
		for name, c := range a.Tests {
			test := parseName(name)
			if test.pack != p.name || c.Unsound || building.MatchString(name) {
				continue
			}
			score := own
			switch {
			case !inside:
			case c.Lines == nil: // not surveyed
				executed = executed || p.needs[directory]
				if strings.HasPrefix(p.name, "test/") {
					score *= 20
				} else if !p.needs[directory] {
					continue
				}
			case slices.IndexFunc(c.Lines[m.file], func(n int) bool { return n >= from && n <= to }) < 0:
				continue
			case slices.Contains(c.Lines[m.file], line):
				score *= 20
				executed = true
			}
			all = append(all, candidate{test, score / (c.Seconds + cost)})
		}
	}
	slices.SortFunc(all, func(x, y candidate) int {
		if x.score != y.score {
			if x.score > y.score {
				return -1
			}
			return 1
		}
		return strings.Compare(x.test.String(), y.test.String())
	})
	for _, c := range all {
		order = append(order, c.test)
	}
	return order, executed || !inside
}
