package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/vk"
)

type options struct {
	build, reference, peer, only, sets string
	drivers                            []string
	rounds, cycles                     int
	json, from, section                string
	update                             []string
	check, list                        bool
	remark                             string
}

func main() {
	var o options
	flag.StringVar(&o.build, "build", "", "`directory` with libvulkan.so.1 and drivers/ (the one above this program's own)")
	flag.StringVar(&o.reference, "reference", "", "the `library` to compare with (the system's libvulkan.so.1)")
	flag.StringVar(&o.peer, "peer", "", "another `library` to compare with, for example a newer loader")
	flag.StringVar(&o.only, "only", "", "only these `items or groups`, with commas between (see -list)")
	flag.StringVar(&o.sets, "sets", "", "only these `sets` of drivers, with commas between: null, alone, mesa")
	flag.Func("drivers",
		"another set of drivers, `NAME=MANIFEST[:MANIFEST...]`, instead of the usual, or besides those of -sets; may be given again",
		func(text string) error { o.drivers = append(o.drivers, text); return nil })
	flag.IntVar(&o.rounds, "rounds", 21, "processes of each kind and library")
	flag.IntVar(&o.cycles, "cycles", 0, "do everything so many `times` in one process, and show what it holds")
	flag.StringVar(&o.json, "json", "", "write everything as JSON to this `file`, or - for standard output instead of tables")
	flag.StringVar(&o.from, "from", "", "measure nothing: take what -json wrote to this `file`")
	flag.Func("update", "put the tables into this `file`, between the lines <!-- bench SECTION: begin --> and end; may be given again",
		func(text string) error { o.update = append(o.update, text); return nil })
	flag.StringVar(&o.section, "section", "main", "the `section` for -update")
	flag.StringVar(&o.remark, "remark", "", "a `text` about the machine, for its line")
	flag.BoolVar(&o.check, "check", false, "exit code 1 when a budget is missed")
	flag.BoolVar(&o.list, "list", false, "list the items with their budgets, and exit")
	flag.Parse()
	if flag.NArg() > 0 || o.rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if o.list {
		list()
		return
	}
	r, err := o.report()
	if err == nil {
		err = o.put(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(3)
	}
	missed := r.missed()
	for _, line := range missed {
		fmt.Fprintln(os.Stderr, "missed:", line)
	}
	switch {
	case o.check && len(missed) > 0:
		os.Exit(1)
	case o.check && len(r.Lacking) > 0:
		fmt.Fprintln(os.Stderr, "bench: not all that has a budget could be measured; see the notes")
		os.Exit(3)
	}
}

func list() {
	for _, it := range items {
		var limits []string
		for _, b := range budgets {
			if b.item == it.key {
				r := newRow(b.set, it, statistic{}, statistic{})
				limits = append(limits, b.set+" "+r.Budget)
			}
		}
		fmt.Printf("%-12s  %-17s  %s  %s\n", it.group, it.key, it.title, strings.Join(limits, "; "))
	}
}

// put writes the report to the requested file.
func (o *options) put(r *report) error {
	if o.json != "" {
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		data = append(data, '\n')
		if o.json == "-" {
			_, err = os.Stdout.Write(data)
		} else {
			err = os.WriteFile(o.json, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if o.json != "-" {
		fmt.Print(r.markdown())
	}
	for _, file := range o.update {
		if err := r.update(file, o.section); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) report() (*report, error) {
	if o.from != "" {
		data, err := os.ReadFile(o.from)
		if err != nil {
			return nil, err
		}
		r := &report{}
		if err := json.Unmarshal(data, r); err != nil {
			return nil, fmt.Errorf("%s: %w", o.from, err)
		}
		return r, nil
	}
	scratch, err := os.MkdirTemp("", "vkloader-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	b, err := o.bench(scratch)
	if err != nil {
		return nil, err
	}
	return o.measure(b)
}

// bench finds the required files.
func (o *options) bench(scratch string) (*bench, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &bench{programs: filepath.Dir(program), build: o.build, scratch: scratch, rounds: o.rounds,
		empty: filepath.Join(scratch, "empty"), names: filepath.Join(scratch, "names")}
	if b.build == "" {
		b.build = filepath.Dir(b.programs)
	}
	if b.build, err = filepath.Abs(b.build); err != nil {
		return nil, err
	}
	b.libraries = [3]string{filepath.Join(b.build, "libvulkan.so.1"), o.reference, o.peer}
	if o.reference == "" {
		for _, directory := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"} {
			if path := filepath.Join(directory, "libvulkan.so.1"); exists(path) {
				b.libraries[reference] = path
				break
			}
		}
	}
	if b.libraries[reference] == "" {
		return nil, errors.New("this system has no libvulkan.so.1 to compare with: give one with -reference")
	}
	for _, path := range []string{b.libraries[ours], b.libraries[reference], o.peer, filepath.Join(b.programs, "measure")} {
		if path != "" && !exists(path) {
			return nil, fmt.Errorf("there is no %s", path)
		}
	}
	if err := os.Mkdir(b.empty, 0o755); err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, c := range vk.Commands {
		text.WriteString(c.Name + "\n")
	}
	if err := os.WriteFile(b.names, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	return b, o.choose(b)
}

// choose parses -only.
func (o *options) choose(b *bench) error {
	b.wanted = func(item) bool { return true }
	if o.only == "" {
		return nil
	}
	words := strings.Split(o.only, ",")
	for _, word := range words {
		if word != "growth" && !slices.ContainsFunc(items, func(it item) bool { return it.key == word || it.group == word }) {
			return fmt.Errorf("-only %s: there is no such item or group (see -list)", word)
		}
	}
	b.wanted = func(it item) bool { return slices.Contains(words, it.key) || slices.Contains(words, it.group) }
	return nil
}

// chosen returns the sets to measure.
func (o *options) chosen(b *bench) ([]set, error) {
	var some []set
	for _, text := range o.drivers {
		s, err := b.givenSet(text)
		if err != nil {
			return nil, err
		}
		some = append(some, s)
	}
	if len(some) > 0 && o.sets == "" {
		return some, nil
	}
	sets := b.defaultSets()
	if o.sets == "" {
		return sets, nil
	}
	for _, name := range strings.Split(o.sets, ",") {
		at := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
		if at < 0 {
			return nil, fmt.Errorf("-sets %s: there is no such set here", name)
		}
		some = append(some, sets[at])
	}
	return some, nil
}

func (o *options) measure(b *bench) (*report, error) {
	sets, err := o.chosen(b)
	if err != nil {
		return nil, err
	}
	from := load()
	r := &report{Date: time.Now().UTC().Format("2006-01-02 15:04 UTC"), Machine: machine(), Rounds: o.rounds,
		Library: realFile(b.libraries[ours]), Reference: realFile(b.libraries[reference])}
	if o.peer != "" {
		r.Peer = realFile(o.peer)
	}
	if o.remark != "" {
		r.Machine += "; " + o.remark
	}
	for _, s := range sets {
		r.Sets = append(r.Sets, titled{s.name, s.title})
		var timed, under []item
		for _, it := range items {
			if !b.wanted(it) {
				continue
			}
			if it.from != counted {
				timed = append(timed, it)
			} else if !s.real {
				under = append(under, it)
			}
		}
		for _, do := range []func() ([]row, error){
			func() ([]row, error) { return b.times(s, timed, o.rounds) },
			func() ([]row, error) { return b.count(s, under) },
		} {
			rows, err := do()
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	if b.wanted(item{group: "growth"}) && len(o.drivers) == 0 && o.sets == "" {
		rows, err := b.grow()
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, rows...)
	}
	if o.cycles > 0 {
		if r.Repetitions, err = b.repeat(b.defaultSets()[0], o.cycles); err != nil {
			return nil, err
		}
	}
	r.Load = from + " to " + load()
	r.Notes, r.Lacking = b.notes, b.lacking
	return r, nil
}
