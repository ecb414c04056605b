package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memoryLimit is the resident memory, in bytes, that all processes of a test program may have together.
const memoryLimit = 4 << 30

// testName is a test of a package, on a build of the library: "", or one of sanitizers.
type testName struct{ pack, name, build string }

func (n testName) String() string {
	if n.build != "" {
		return n.pack + " " + n.name + " (" + n.build + ")"
	}
	return n.pack + " " + n.name
}

// parseName is the inverse of String, for tests of the usual build.
func parseName(s string) testName {
	pack, name, _ := strings.Cut(s, " ")
	return testName{pack: pack, name: name}
}

// result is how a test ended, as its test program reports it.
type result struct {
	passed  bool
	seconds float64
}

// verdicts matches the line with which a test program reports the result of a top-level test.
var verdicts = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (\S+) \(([0-9.]+)s\)`)

// parts matches the following lines about subtests: a test's own time leaves out parallel subtests.
var parts = regexp.MustCompile(`^    --- (?:PASS|FAIL|SKIP): ([^/]+)/\S+ \(([0-9.]+)s\)`)

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// list returns the names of a package's tests, from its source.
func (t *tree) list(pack string) ([]testName, error) {
	files, err := filepath.Glob(t.path(pack, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var out []testName
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			if name := string(m[1]); name != "TestMain" {
				out = append(out, testName{pack: pack, name: name})
			}
		}
	}
	return out, nil
}

// perform runs some tests of one package, on one build, under the guard, and returns the results of the tests that ended. With
// first, it stops at the first failure. failed names the test that failed, ended the program or was running at the limit.
func (t *tree) perform(pack, build string, names []string, limit time.Duration, first bool) (
	all map[string]result, failed string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(t.testProgram(pack)); err != nil {
		if err := t.buildTests(pack); err != nil {
			return nil, "", err
		}
	}
	pattern := "^("
	for i, name := range names {
		if i > 0 {
			pattern += "|"
		}
		pattern += regexp.QuoteMeta(name)
	}
	args := []string{"guard", limit.String(), strconv.FormatInt(memoryLimit, 10), t.testProgram(pack), "-test.v",
		"-test.short",
		"-test.parallel=4", "-test.run=" + pattern + ")$", "-test.timeout=0"}
	if first {
		args = append(args, "-test.failfast")
	}
	cmd := exec.CommandContext(t.ctx, self, args...)
	cmd.Dir = t.path(pack)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.path("t"), "VKLOADER_TEST_BUILD="+build)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	read, write, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		return nil, "", errors.Join(err, write.Close())
	}
	write.Close()
	all = map[string]result{}
	var running []string
	lines := bufio.NewReaderSize(read, 1<<16)
	for {
		line, _, err := lines.ReadLine() // the rest of a long line comes as another one
		if err != nil {
			break
		}
		if name, ok := strings.CutPrefix(string(line), "=== RUN   "); ok && slices.Contains(names, name) {
			running = append(running, name)
		}
		if m := parts.FindSubmatch(line); m != nil {
			r := all[string(m[1])]
			seconds, _ := strconv.ParseFloat(string(m[2]), 64)
			r.seconds += seconds
			all[string(m[1])] = r
		}
		if m := verdicts.FindSubmatch(line); m != nil {
			seconds, _ := strconv.ParseFloat(string(m[3]), 64)
			name := string(m[2])
			all[name] = result{string(m[1]) != "FAIL", seconds}
			if string(m[1]) == "FAIL" && failed == "" {
				failed = name
				if first {
					cmd.Process.Signal(syscall.SIGTERM)
				}
			}
		}
	}
	err = cmd.Wait()
	if t.ctx.Err() != nil {
		return all, "", t.ctx.Err()
	}
	if err != nil && failed == "" {
		for _, name := range append(running, names...) {
			if _, ended := all[name]; !ended {
				failed = name
				break
			}
		}
		if failed == "" {
			failed = names[0]
		}
	}
	return all, failed, t.tidy()
}

// tidy empties the directory of temporary files.
func (t *tree) tidy() error {
	names, err := filepath.Glob(t.path("t", "*"))
	for _, name := range names {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return err
}

// patience returns the time limit for tests with a measured time. Machines may be busy, and the first test on a build with
// sanitizers also builds its frame.
func patience(seconds float64, build string) time.Duration {
	least := 30 * time.Second
	if build != "" {
		least = 4 * time.Minute
	}
	return least + time.Duration(10*seconds*float64(time.Second))
}

// kill runs tests, in their order, until one fails twice, the second time alone; its name is returned.
func (t *tree) kill(file string, order []testName, a *atlas) (testName, error) {
	budget := 1.0 // seconds for the first group of tests; later groups are larger
	for len(order) > 0 {
		n := 0
		for spent := 0.0; n < len(order) && (n == 0 || spent+a.seconds(order[n]) <= budget); n++ {
			spent += a.seconds(order[n])
		}
		group := order[:n]
		order = order[n:]
		budget *= 3
		for len(group) > 0 {
			pack, build := group[0].pack, group[0].build
			var names []string
			var rest []testName
			seconds := 0.0
			for _, test := range group {
				if test.pack == pack {
					names = append(names, test.name)
					seconds += a.testTime(test)
				} else {
					rest = append(rest, test)
				}
			}
			group = rest
			by, err := t.killIn(pack, build, names, file, seconds, a)
			if err != nil || by != "" {
				return testName{pack, by, build}, err
			}
		}
	}
	return testName{}, nil
}

func (t *tree) killIn(pack, build string, names []string, file string, seconds float64, a *atlas) (string, error) {
	for _, p := range t.packages {
		if p.name == pack {
			if err := t.refresh(p, file); err != nil {
				return "", nil // these tests cannot be built with it; the build of the library says more
			}
		}
	}
	for len(names) > 0 {
		_, failed, err := t.perform(pack, build, names, patience(seconds, build), true)
		if err != nil || failed == "" {
			return "", err
		}
		alone := patience(a.testTime(testName{pack, failed, build}), build)
		if _, again, err := t.perform(pack, build, []string{failed}, alone, true); err != nil || again != "" {
			return again, err
		}
		// The test fails only sometimes, or only in a group: it does not count, and the others run.
		names = slices.DeleteFunc(names, func(s string) bool { return s == failed })
	}
	return "", nil
}

// passes reports whether a test passes alone.
func (t *tree) passes(test testName, a *atlas) (bool, error) {
	_, failed, err := t.perform(test.pack, test.build, []string{test.name}, patience(a.testTime(test), test.build), true)
	return failed == "", err
}
