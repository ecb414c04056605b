// Command mutants judges the tests. It plants faults, one at a time, in a copy of the source, builds it, runs tests,
// and prints the faults that no test has noticed. In the tree where it is started, it writes only to build/mutants.
//
// Usage: mutants [-n 200] [-seed N] [-files REGEXP] [-match REGEXP] [-j 2]
//
// The seed selects the faults; by default it is derived from the commit. Faults that do not compile, and faults that
// do not change the machine code, are counted separately and replaced by other faults.
//
// The tests of the package run first, or those of the suite with the name of the directory in spine/, then those that
// are linked with it, then those of the library and the tool. A fault in the core is translated to C, as make does. A
// fault in the spine that no test has noticed is also planted into the builds with sanitizers, on which "make test-all"
// repeats some packages. The exit code is 1 if the tests notice fewer than 95 of 100 faults. The translator, tools/goc,
// gets no faults: its random programs compare it with Go's own compiler.
//
// A failing test counts only if it fails again alone, and passes without any fault. Each test program runs under a
// guard (guard.go), which ends it if it takes too long, and which leaves no process behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vkloader/internal/decide/workers"
)

// mutant is one planted fault: the bytes from..to of a file are replaced.
type mutant struct {
	file     string // relative to the top directory
	text     string // of the whole file
	line     int
	from, to int
	with     string
	what     string
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.what) }

// options are the command line's.
type options struct {
	n, jobs      int
	seed         uint64
	files, match *regexp.Regexp
}

// required is the least number of noticed faults of 100.
const required = 95

// building has the tests that are not run, because they build the source themselves.
var building = map[string]bool{"TestInstall": true, "TestSanitized": true}

func main() {
	if len(os.Args) > 3 && os.Args[1] == "guard" {
		os.Exit(guard(os.Args[2:]))
	}
	var o options
	expression := func(p **regexp.Regexp) func(string) error {
		return func(s string) (err error) {
			*p, err = regexp.Compile(s)
			return err
		}
	}
	o.files, o.match = regexp.MustCompile("."), regexp.MustCompile(".")
	flag.IntVar(&o.n, "n", 200, "how many mutants are tried")
	flag.Uint64Var(&o.seed, "seed", 0, "which ones; 0: taken from the commit")
	flag.Func("files", "only files whose path matches this regular expression", expression(&o.files))
	flag.Func("match", "only faults whose line in the report matches this regular expression", expression(&o.match))
	flag.IntVar(&o.jobs, "j", 2, "how many are tried at the same time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	killed, tried, err := run(ctx, o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(1)
	}
	if tried > 0 && killed*100 < tried*required {
		os.Exit(1)
	}
}

func commitSeed() uint64 {
	text, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return 1
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}

// choose returns the faults to try, in the order of the seed.
func choose(o options) ([]mutant, error) {
	all, err := candidates(".", o.files)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !o.match.MatchString(m.String()) })
	random := rand.New(rand.NewPCG(o.seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

// tally counts the verdicts so far.
type tally struct {
	mutex          sync.Mutex
	next           int
	tried, killed  int
	notBuilt, same int
	survivors      []mutant
	err            error
}

// run plants faults as o asks. It returns how many of them the tests found, and how many it planted.
func run(ctx context.Context, o options) (killed, tried int, err error) {
	if o.seed == 0 {
		o.seed = commitSeed()
	}
	all, err := choose(o)
	if err != nil {
		return 0, 0, err
	}
	fmt.Printf("seed %d: %d places for faults\n", o.seed, len(all))
	top, err := os.Getwd()
	if err != nil {
		return 0, 0, err
	}
	trees, err := forest(ctx, top, o)
	defer func() {
		for _, t := range trees {
			err = errors.Join(err, os.RemoveAll(t.directory))
		}
	}()
	if err != nil {
		return 0, 0, err
	}
	r := &tally{}
	var running workers.Group
	for _, t := range trees {
		running.Go(func() { r.work(t, all, o) })
	}
	running.Wait()
	if ctx.Err() != nil {
		r.err = nil
	}
	r.report(o)
	return r.killed, r.tried, r.err
}

// forest makes the copies of the source.
func forest(ctx context.Context, top string, o options) (trees []*tree, err error) {
	for err == nil && len(trees) < max(1, min(o.jobs, o.n)) {
		var t *tree
		if t, err = newTree(ctx, top); t != nil {
			trees = append(trees, t)
		}
	}
	return trees, err
}

// work tries faults in one copy until there are enough.
func (r *tally) work(t *tree, all []mutant, o options) {
	for {
		r.mutex.Lock()
		if r.err != nil || r.tried >= o.n || r.next == len(all) || t.ctx.Err() != nil {
			r.mutex.Unlock()
			return
		}
		m := all[r.next]
		r.next++
		r.tried++ // subtracted again if the change is no fault
		r.mutex.Unlock()
		start := time.Now()
		what, by, err := t.judge(m)
		r.mutex.Lock()
		took := time.Since(start).Round(100 * time.Millisecond)
		switch {
		case err != nil:
			r.tried--
			r.err = errors.Join(r.err, fmt.Errorf("%v: %w", m, err))
		case what == notBuilt:
			r.tried--
			r.notBuilt++
		case what == sameBuilt:
			r.tried--
			r.same++
			fmt.Printf("     no fault, the machine code is the same: %s (%v)\n", m, took)
		case what == killed:
			r.killed++
			fmt.Printf("%4d killed by %s: %s (%v)\n", r.killed+len(r.survivors), by, m, took)
		default:
			r.survivors = append(r.survivors, m)
			fmt.Printf("%4d SURVIVED %s (%v)\n", r.killed+len(r.survivors), m, took)
		}
		r.mutex.Unlock()
	}
}

// judge tries a fault. A test that notices it must pass without it, or else the fault is tried without this test.
func (t *tree) judge(m mutant) (outcome, *testName, error) {
	for {
		what, by, err := t.try(m)
		if err != nil || what != killed || t.sound[*by] {
			return what, by, err
		}
		if text, err := t.make(strings.Fields("all " + by.build)...); err != nil {
			return what, by, fmt.Errorf("make: %w\n%s", err, text)
		}
		failed, err := t.perform(*by, nil)
		if err != nil || failed == nil {
			t.sound[*by] = true
			return what, by, err
		}
		fmt.Printf("     %s fails without a fault: it does not count\n", by)
		t.unsound[*by] = true
	}
}

// try plants a fault, runs the tests that may notice it, and removes the fault. For a fault in a Go package, the tests
// of Go packages come first, because they need no library.
func (t *tree) try(m mutant) (what outcome, by *testName, err error) {
	undo, err := t.plant(m)
	if undo != nil {
		defer func() { err = errors.Join(err, undo()) }()
	}
	if err != nil {
		return notBuilt, nil, err
	}
	var alone, others []testName
	for _, tests := range t.order(m.file) {
		if strings.HasPrefix(tests.pack, "internal/") && strings.HasPrefix(m.file, "internal/") {
			alone = append(alone, tests)
		} else {
			others = append(others, tests)
		}
	}
	if by, err = t.kill(m.file, alone); err != nil || by != nil {
		return killed, by, err
	}
	what, err = t.build(m, "")
	if err != nil || what != survived {
		return what, nil, err
	}
	by, err = t.kill(m.file, others)
	if err == nil && by == nil && isInSpine(m.file) {
		by, err = t.killSanitized(m, others)
	}
	if by != nil {
		what = killed
	}
	return what, by, err
}

// report prints the sum and the survivors.
func (r *tally) report(o options) {
	r.tried = r.killed + len(r.survivors)
	fmt.Printf("\nseed %d: %d of %d killed", o.seed, r.killed, r.tried)
	if r.tried > 0 {
		fmt.Printf(", %.1f of a hundred", float64(r.killed)*100/float64(r.tried))
	}
	fmt.Printf("; not counted: %d that do not compile, %d that compile to the same.\nSurvivors:\n", r.notBuilt, r.same)
	slices.SortFunc(r.survivors, func(a, b mutant) int { return strings.Compare(a.String(), b.String()) })
	for _, m := range r.survivors {
		fmt.Println("  ", m)
	}
}

// isInSpine reports whether a file with a fault belongs to the spine.
func isInSpine(file string) bool { return strings.HasPrefix(file, "spine/") }

// leftOut reports whether a file gets no faults: generated files, tests, files of no program, and files for Windows and
// macOS alone.
func leftOut(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "z") || strings.HasSuffix(base, "_test.go") || base == "generate.go" ||
		strings.HasPrefix(path, "spine/gen/") || strings.Contains(path, "/windows/") ||
		strings.Contains(path, "/macos/") ||
		strings.Contains(path, "/plain/")
}

// source matches the files that get faults. Below a package of the core there are only generators.
var source = regexp.MustCompile(`^(spine/.*\.c|internal/core/[^/]+/[^/]+\.go|` +
	`internal/(tool|decide|containers)/.*\.go)$`)

// sources lists these files, relative to the top directory, in a fixed order.
func sources(top string) (out []string, err error) {
	for _, directory := range []string{"spine", "internal"} {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(top, directory),
			func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				relative, err := filepath.Rel(top, path)
				if err == nil && source.MatchString(relative) && !leftOut(relative) {
					out = append(out, relative)
				}
				return err
			}))
	}
	return out, err
}

// candidates finds every place for a fault, in a fixed order.
func candidates(top string, pattern *regexp.Regexp) ([]mutant, error) {
	names, err := sources(top)
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, name := range names {
		if !pattern.MatchString(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, ".go") {
			found, err := goMutants(name, text)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		} else {
			out = append(out, cMutants(name, string(text))...)
		}
	}
	return out, nil
}
