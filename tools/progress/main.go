// Command progress runs go test and shows how far it is. It prints a line for each package that ends, the output of
// each test that fails, at least one line a minute, and a last line with what failed and how to repeat that.
//
//	progress FLAG... -- PACKAGE...
//
// The variable GO names another go command. The time limit of a package follows the speed and the load of the machine.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	at := slices.Index(os.Args, "--")
	if at < 1 || at == len(os.Args)-1 {
		fmt.Fprintln(os.Stderr, "usage: progress FLAG... -- PACKAGE...")
		os.Exit(2)
	}
	flags, packages := os.Args[1:at], os.Args[at+1:]
	goCommand := cmp.Or(os.Getenv("GO"), "go")
	// go test reports its errors
	list, _ := exec.Command(goCommand, append([]string{"list", "-e"}, packages...)...).Output()
	limit := packageLimit(speed(), load(), runtime.NumCPU())
	r := &report{out: os.Stdout, begun: time.Now(), total: len(strings.Fields(string(list))),
		running: map[string]*run{},
		failed:  map[string][]string{}}
	fmt.Printf("test: %d packages, at most %v each\n", r.total, limit)
	cmd := exec.Command(goCommand,
		slices.Concat([]string{"test", "-json", "-timeout", limit.String()}, flags, packages)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
		os.Exit(2)
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // the terminal interrupts go test, too, and its result follows
	r.follow(events, time.Tick(50*time.Second))
	failed := cmd.Wait() != nil
	if words := r.verdict(flags); failed || words != "" {
		if words == "" {
			words = "go test itself; its message is above"
		}
		fmt.Println("test: failed: " + words)
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// run is a package in progress.
type run struct {
	begun  time.Time
	output []event           // not printed yet
	last   map[string]string // the last action of each test
}

// report follows the packages of a run of go test.
type report struct {
	out         io.Writer
	begun       time.Time
	total, done int
	running     map[string]*run
	failed      map[string][]string // the failed packages, with their failed tests
}

// follow reads the events, and prints the state at each tick.
func (r *report) follow(from io.Reader, tick <-chan time.Time) {
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewReader(from)
		for text, err := in.ReadString('\n'); err == nil; text, err = in.ReadString('\n') {
			lines <- text
		}
	}()
	for {
		select {
		case text, open := <-lines:
			if !open {
				return
			}
			var e event
			if json.Unmarshal([]byte(text), &e) != nil {
				e = event{Action: "build-output", Output: text}
			}
			r.take(e)
		case <-tick:
			fmt.Fprintln(r.out, r.state())
		}
	}
}

// take notes an event, and prints the output of what has ended.
func (r *report) take(e event) {
	p := r.running[e.Package]
	if p == nil && e.Package != "" {
		p = &run{time.Now(), nil, map[string]string{}}
		r.running[e.Package] = p
	}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		p.output = append(p.output, e)
	case "run":
		p.last[e.Test] = e.Action
	case "pass", "skip", "fail":
		p.last[e.Test] = e.Action
		if strings.Contains(e.Test, "/") {
			return
		}
		if e.Action == "fail" {
			r.failed[e.Package] = append(r.failed[e.Package], strings.Fields(e.Test)...)
		}
		p.output = slices.DeleteFunc(p.output, func(l event) bool { return r.print(p, e, l) })
		if e.Test == "" {
			r.done++
			delete(r.running, e.Package)
		}
	}
}

// print prints a line of output if it belongs to the test or package that has ended and tells about a failure. It
// reports whether the line belongs to that.
func (r *report) print(p *run, ended, l event) bool {
	if top, _, _ := strings.Cut(l.Test, "/"); ended.Test != "" && ended.Test != top {
		return false
	}
	text := strings.TrimLeft(l.Output, " ")
	for _, noise := range []string{"=== ", "--- PASS", "--- SKIP", "PASS\n", "FAIL\n", "?"} {
		if strings.HasPrefix(text, noise) {
			return true
		}
	}
	last := p.last[l.Test]
	if l.Test == "" && strings.HasPrefix(text, "ok") || ended.Action == "fail" && last != "pass" && last != "skip" {
		fmt.Fprint(r.out, l.Output)
	}
	return true
}

// state says how far the run is.
func (r *report) state() string {
	var names []string
	for name, p := range r.running {
		tests := slices.DeleteFunc(slices.Sorted(maps.Keys(p.last)), func(test string) bool {
			return p.last[test] != "run" || strings.Contains(test, "/")
		})
		if n := len(tests); n > 2 {
			tests = append(tests[:2], fmt.Sprintf("%d more", n-2))
		}
		names = append(names, fmt.Sprintf("%s for %v (%s)", name, time.Since(p.begun).Round(time.Second),
			strings.Join(tests, ", ")))
	}
	slices.Sort(names)
	return fmt.Sprintf("test: after %v: %d of %d packages are done, %d failed, %d to go; running: %s",
		time.Since(r.begun).Round(time.Second), r.done, r.total, len(r.failed), r.total-r.done-len(names),
		cmp.Or(strings.Join(names, "; "), "the compiler"))
}

// verdict names the failed tests, and the commands that repeat them; it is empty if there are none.
func (r *report) verdict(flags []string) string {
	command := "go test -count 1"
	if slices.Contains(flags, "-race") {
		command += " -race"
	}
	given := []string{"TARGET", "TARGET_CC", "WINDOWS_ROOT", "GOARCH", "TMPDIR"}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if value != "" && (slices.Contains(given, name) || strings.HasPrefix(name, "VKLOADER_TEST_")) {
			command = name + "='" + value + "' " + command
		}
	}
	var what, how []string
	for _, name := range slices.Sorted(maps.Keys(r.failed)) {
		only := ""
		if tests := r.failed[name]; len(tests) > 0 {
			only = " -run '^(" + strings.Join(tests, "|") + ")$'"
		}
		what = append(what, strings.TrimSpace(strings.Join(r.failed[name], ", ")+" in "+name))
		how = append(how, command+only+" "+name)
	}
	if what == nil {
		return ""
	}
	return strings.Join(what, "; ") + ". To repeat: " + strings.Join(how, "; ")
}
