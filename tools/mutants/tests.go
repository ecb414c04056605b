package main

import (
	"bufio"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// timeLimit is the time for the tests of a package. The tests themselves end programs that hang much earlier.
const timeLimit = 10 * time.Minute

// testName is a test of a package, or all of its tests, on a build of the library: "", or one of sanitizers.
type testName struct{ pack, name, build string }

func (n testName) String() string {
	s := strings.TrimSuffix(n.pack+" "+n.name, " ")
	if n.build != "" {
		s += " (" + n.build + ")"
	}
	return s
}

// failLine matches the line with which a test program reports that a top-level test failed.
var failLine = regexp.MustCompile(`^--- FAIL: (\S+) `)

// anyOf returns the expression of "go test" for tests by name.
func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// perform runs tests under the guard, without those named in skip, until one fails. It returns this test, or all tests
// if the test program ended without naming one.
func (t *tree) perform(tests testName, skip map[string]bool) (failed *testName, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program := t.testProgram(tests.pack)
	if _, err := os.Stat(program); err != nil {
		if err := t.buildTests(tests.pack); err != nil {
			return nil, err
		}
	}
	run := "."
	if tests.name != "" {
		run = anyOf([]string{tests.name})
	}
	cmd := exec.CommandContext(t.ctx, self, "guard", timeLimit.String(), program,
		"-test.short", "-test.parallel=4", "-test.timeout=0", "-test.failfast", "-test.run="+run,
		"-test.skip="+anyOf(slices.Sorted(maps.Keys(skip))))
	cmd.Dir = t.path(tests.pack)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.path("t"), "VKLOADER_TEST_BUILD="+tests.build)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	write.Close()
	lines := bufio.NewReaderSize(read, 1<<16)
	for {
		line, _, err := lines.ReadLine() // the rest of a long line comes as another one
		if err != nil {
			break
		}
		if m := failLine.FindSubmatch(line); m != nil && failed == nil {
			failed = &testName{tests.pack, string(m[1]), tests.build}
			cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	if err := cmd.Wait(); err != nil && failed == nil {
		failed = &tests
	}
	return failed, errors.Join(t.ctx.Err(), t.tidy())
}

// tidy empties the directory of temporary files.
func (t *tree) tidy() error {
	names, err := filepath.Glob(t.path("t", "*"))
	for _, name := range names {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return err
}

// kill runs the tests of packages, in their order, until one fails twice, the second time alone. It returns this test.
func (t *tree) kill(file string, order []testName) (*testName, error) {
	for _, tests := range order {
		if t.refresh(tests.pack, file) != nil {
			continue // these tests cannot be built with the fault; the build of the library says more
		}
		skip := map[string]bool{}
		maps.Copy(skip, building)
		for test := range t.unsound {
			if test.pack == tests.pack && test.build == tests.build {
				skip[test.name] = true
			}
		}
		for !t.unsound[tests] {
			failed, err := t.perform(tests, skip)
			if err != nil {
				return nil, err
			}
			if failed == nil {
				break
			}
			if again, err := t.perform(*failed, nil); err != nil || again != nil {
				return again, err
			}
			if *failed == tests {
				break
			}
			skip[failed.name] = true // it fails only sometimes, or only with others: it does not count
		}
	}
	return nil, nil
}

// order returns the tests that may notice a fault in a file: those of its package, or of the suite with the name of its
// directory in spine/, then those that are linked with it, then those of the library and the tool.
func (t *tree) order(file string) (order []testName) {
	rank := func(pack string) int {
		directory := filepath.Dir(file)
		switch {
		case pack == directory, isInSpine(file) && pack == "test/loader/"+strings.Split(file, "/")[1]:
			return 0
		case t.linked[pack][directory]:
			return 1
		case strings.HasPrefix(pack, "test/"):
			return 2
		}
		return 3
	}
	packages := slices.Sorted(maps.Keys(t.linked))
	slices.SortStableFunc(packages, func(a, b string) int { return rank(a) - rank(b) })
	for _, pack := range packages {
		if rank(pack) < 3 && !excluded[filepath.Base(pack)] {
			order = append(order, testName{pack: pack})
		}
	}
	return order
}
