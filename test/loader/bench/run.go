package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vkloader/internal/decide/vk"
)

// bench is one run: its items, libraries and programs.
type bench struct {
	build     string    // the directory with libvulkan.so.1
	programs  string    // the directory with the measuring programs
	libraries [3]string // the last one may be empty: no peer is measured
	empty     string    // an empty directory
	names     string    // a file with the registry's commands
	scratch   string
	rounds    int
	wanted    func(item) bool
	notes     []string
	lacking   []string // items with a budget that could not be measured
}

// The indexes of measured subjects: this loader, the system's, another loader, and a program without a loader, which
// opens the driver itself.
const (
	ours = iota
	reference
	peer
	bare
	subjects
)

// withoutLoader are the items that are also measured in a program without a loader.
var withoutLoader = []string{"cold", "cycle", "extensions", "create-instance", "first-list", "list", "create-device"}

// compared returns the subjects that are measured with a set.
func (b *bench) compared(s set) []int {
	list := []int{ours, reference}
	if b.libraries[peer] != "" {
		list = append(list, peer)
	}
	if s.bare != "" {
		list = append(list, bare)
	}
	return list
}

// patience is the time limit of a measuring program; under valgrind it is several times as long.
const patience = 2 * time.Minute

func (b *bench) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// lack records that an item could not be measured.
func (b *bench) lack(s set, it item, why string) {
	b.note("%s, %s: %s is not measured: %s", s.name, it.group, it.title, why)
	if budgetOf(s.name, it.key) != nil {
		b.lacking = append(b.lacking, s.name+": "+it.key)
	}
}

// value is one process's result for one item.
type value struct{ median, lowest float64 }

func (b *bench) process(environ []string, limit time.Duration, words ...string) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = environ
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("still running after %v", limit)
		}
		return nil, nil, fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, log.Bytes())
	}
	return out.Bytes(), log.Bytes(), nil
}

// measure runs the measuring program once and reads its output.
func (b *bench) measure(s set, subject int, words ...string) (map[string]value, error) {
	library, environ := s.bare, append([]string{"BENCH_BARE=1"}, s.environ...)
	if subject != bare {
		library, environ = b.libraries[subject], s.environ
	}
	words = append([]string{filepath.Join(b.programs, "measure"), library}, words...)
	out, _, err := b.process(environ, patience, words...)
	if err != nil {
		return nil, err
	}
	values := map[string]value{}
	for line := range strings.Lines(string(out)) {
		var name string
		var v value
		if _, err := fmt.Sscan(line, &name, &v.median, &v.lowest); err != nil {
			return nil, fmt.Errorf("%s prints %q", words[0], line)
		}
		values[name] = v
	}
	return values, nil
}

// samples are all values of one item, by library.
type samples [subjects][]value

func (s *samples) statistic(library int) statistic {
	if len(s[library]) == 0 {
		return statistic{}
	}
	var medians []float64
	lowest := s[library][0].lowest
	for _, v := range s[library] {
		medians = append(medians, v.median)
		lowest = min(lowest, v.lowest)
	}
	slices.Sort(medians)
	n := len(medians)
	middle := medians[n/2]
	if n%2 == 0 {
		middle = (middle + medians[n/2-1]) / 2
	}
	return statistic{Median: middle, Lowest: lowest}
}

// row returns the line of an item.
func (s *samples) row(set string, it item) row {
	r := newRow(set, it, s.statistic(ours), s.statistic(reference))
	r.Peer, r.Bare = s.statistic(peer).orNil(), s.statistic(bare).orNil()
	return r
}

// of returns the items that are measured for the subject.
func of(subject int, list []item) []item {
	if subject != bare {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(it item) bool { return !slices.Contains(withoutLoader, it.key) })
}

// times measures the items of a set: a process of each library in turn, with each library first in as many rounds as
// the others.
func (b *bench) times(s set, list []item, rounds int) ([]row, error) {
	bySource := map[source][]item{}
	for _, it := range list {
		if it.from != counted {
			bySource[it.from] = append(bySource[it.from], it)
		}
	}
	all := map[string]*samples{}
	for round := range rounds + 1 {
		for _, from := range []source{fresh, freshEnumerates, warm} {
			compared := b.compared(s)
			for i := range compared {
				library := compared[(round+i)%len(compared)]
				of := of(library, bySource[from])
				if len(of) == 0 {
					continue
				}
				words := strings.Fields(string(from))
				if from == warm {
					words = append(words, operations(of)...)
				}
				values, err := b.measure(s, library, words...)
				if err != nil {
					return nil, err
				}
				if round == 0 { // fills the page cache
					continue
				}
				for _, it := range of {
					v, ok := values[it.value]
					if !ok { // the drivers do not support it
						continue
					}
					if all[it.key] == nil {
						all[it.key] = &samples{}
					}
					all[it.key][library] = append(all[it.key][library], v)
				}
			}
		}
	}
	var rows []row
	for _, it := range list {
		switch {
		case it.from == counted:
		case all[it.key] == nil:
			b.lack(s, it, "these drivers cannot do it")
		default:
			rows = append(rows, all[it.key].row(s.name, it))
		}
	}
	return rows, nil
}

// operations returns the operations of warm items, in order.
func operations(list []item) []string {
	var words []string
	for _, it := range list {
		operation := it.value
		if it.along != "" {
			operation = it.along
		}
		if !slices.Contains(words, operation) {
			words = append(words, operation)
		}
	}
	return words
}

var collected = regexp.MustCompile(`(?m)^==\d+== Collected : (\d+)`)

// count counts the instructions of the items: those of the calling thread inside the calls, or, for items with two
// numbers of repetitions, those of all threads, from the difference. The counts do not depend on the machine's load,
// so processes run in parallel.
func (b *bench) count(s set, list []item) ([]row, error) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil && len(list) > 0 {
		b.note("%s: instructions are not counted: there is no valgrind", s.name)
		for _, it := range list {
			if budgetOf(s.name, it.key) != nil {
				b.lacking = append(b.lacking, s.name+": "+it.key)
			}
		}
		return nil, nil
	}
	each := make([]samples, len(list))
	var failed error
	var lock sync.Mutex
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, it := range list {
		for _, library := range b.compared(set{}) {
			group.Add(1)
			go func() {
				defer group.Done()
				slots <- struct{}{}
				defer func() { <-slots }()
				n, err := b.instructions(valgrind, s, library, it)
				lock.Lock()
				defer lock.Unlock()
				each[i][library] = []value{{n, n}}
				failed = errors.Join(failed, err)
			}()
		}
	}
	group.Wait()
	if failed != nil {
		return nil, failed
	}
	var rows []row
	for i, it := range list {
		rows = append(rows, each[i].row(s.name, it))
	}
	return rows, nil
}

// instructions returns the instructions of one operation.
func (b *bench) instructions(valgrind string, s set, library int, it item) (float64, error) {
	long, err := b.callgrind(valgrind, s, library, it, it.long)
	if err != nil || it.short == 0 {
		parts := 1.0
		if it.value == "gipa" || it.value == "gdpa" {
			parts = float64(len(vk.Commands))
		}
		return long / float64(it.long) / parts, err
	}
	short, err := b.callgrind(valgrind, s, library, it, it.short)
	return (long - short) / float64(it.long-it.short), err
}

func (b *bench) callgrind(valgrind string, s set, library int, it item, n int) (float64, error) {
	words := []string{valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"}
	if it.short == 0 {
		words = append(words, "--toggle-collect=bench_counted")
	}
	words = append(words, filepath.Join(b.programs, "measure"), b.libraries[library], "count", it.value, strconv.Itoa(n))
	_, log, err := b.process(s.environ, 5*patience, words...)
	if err != nil {
		return 0, err
	}
	match := collected.FindSubmatch(log)
	if match == nil {
		return 0, errors.New("valgrind says no number of instructions:\n" + string(log))
	}
	return strconv.ParseFloat(string(match[1]), 64)
}
