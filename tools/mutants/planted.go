package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/workers"
)

// planted is a known fault: the code that fixed a defect is removed, and one test must notice that.
type planted struct {
	name  string // "library 1: description of the fault"
	fault mutant // without the text of the file
	was   string // the exact text of the guard
	by    testName
}

// readPlanted reads a list of known faults. An entry is a paragraph; a line that begins with # is a comment:
//
//	NAME: FAULT IN WORDS
//	in FILE
//	noticed by PACKAGE TEST [asan|tsan]
//	-a line of the source
//	+the line in its place
func readPlanted(list string) (out []planted, err error) {
	for _, paragraph := range strings.Split(list, "\n\n") {
		var p planted
		var was, with []string
		for _, line := range strings.Split(paragraph, "\n") {
			rest, isTest := strings.CutPrefix(line, "noticed by ")
			switch {
			case line == "" || line[0] == '#':
			case line[0] == '-':
				was = append(was, line[1:])
			case line[0] == '+':
				with = append(with, line[1:])
			case isTest:
				words := append(strings.Fields(rest), "", "", "")
				p.by = testName{words[0], words[1], words[2]}
			case strings.HasPrefix(line, "in ") && p.name != "":
				p.fault.file = line[3:]
			case p.name == "":
				p.name = line
			default:
				return nil, fmt.Errorf("%s: what does %q mean?", p.name, line)
			}
		}
		if p.name == "" {
			continue
		}
		if p.fault.file == "" || p.by.name == "" || len(was) == 0 {
			return nil, fmt.Errorf("%s: a file, a test and lines of the source belong to it", p.name)
		}
		p.was, p.fault.with, p.fault.what = strings.Join(was, "\n"), strings.Join(with, "\n"), p.name
		out = append(out, p)
	}
	return out, nil
}

// buildable are the files whose faults this program knows how to build.
var buildable = regexp.MustCompile(`^(spine/.*\.c|internal/.*\.go|internal/core/runtime/c/.*\.c|tools/goc/.*\.go)$`)

// locate finds the guard in the source.
func (p planted) locate(top string) (mutant, error) {
	m := p.fault
	text, err := os.ReadFile(filepath.Join(top, m.file))
	if err != nil {
		return m, err
	}
	m.text = string(text)
	if n := strings.Count(m.text, p.was); n != 1 || !buildable.MatchString(m.file) {
		return m, fmt.Errorf("%s: %s has the text %d times, want once in a file that is built", p.name, m.file, n)
	}
	m.from = strings.Index(m.text, p.was)
	m.to = m.from + len(p.was)
	m.line = strings.Count(m.text[:m.from], "\n") + 1
	if lines := strings.Count(p.was, "\n") - strings.Count(m.with, "\n"); lines > 0 {
		m.with += strings.Repeat("\n", lines) // keeps the line numbers of the code below
	}
	return m, nil
}

// runPlanted tries the known faults of a list and prints the result of each.
func runPlanted(ctx context.Context, o options) (unnoticed int, err error) {
	text, err := os.ReadFile(o.planted)
	if err != nil {
		return 0, err
	}
	all, err := readPlanted(string(text))
	if err != nil {
		return 0, err
	}
	all = slices.DeleteFunc(all, func(p planted) bool { return !o.match.MatchString(p.name) })
	top, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	a, err := readAtlas(filepath.Join(top, state, "atlas.json"))
	if err != nil {
		return 0, err
	}
	sanitize := slices.ContainsFunc(all, func(p planted) bool { return p.by.build != "" })
	var trees []*tree
	defer func() {
		for _, t := range trees {
			err = errors.Join(err, os.RemoveAll(t.directory))
		}
	}()
	for range max(1, min(o.jobs, len(all))) {
		t, err := newTree(ctx, top, sanitize)
		if t != nil {
			trees = append(trees, t)
		}
		if err != nil {
			return 0, err
		}
	}
	r := &tally{by: map[testName][]mutant{}}
	var running workers.Group
	for _, t := range trees {
		running.Go(func() { r.workPlanted(t, all, a) })
	}
	running.Wait()
	if err := errors.Join(r.err, r.confirm(trees[0], a)); err != nil || ctx.Err() != nil {
		return 0, err
	}
	fmt.Printf("\n%d of %d known faults are noticed\n", r.killed, len(all))
	for _, m := range r.survivors {
		fmt.Println("  ", m)
	}
	return len(all) - r.killed, nil
}

// workPlanted tries known faults in one copy until none is left.
func (r *tally) workPlanted(t *tree, all []planted, a *atlas) {
	for {
		r.mutex.Lock()
		if r.err != nil || r.next == len(all) || t.ctx.Err() != nil {
			r.mutex.Unlock()
			return
		}
		p := all[r.next]
		r.next++
		r.mutex.Unlock()
		start := time.Now()
		m, what, err := t.tryPlanted(p, a)
		took := time.Since(start).Round(100 * time.Millisecond)
		r.mutex.Lock()
		switch {
		case err != nil:
			r.err = errors.Join(r.err, fmt.Errorf("%v: %w", m, err))
		case what == killed:
			r.killed++
			r.by[p.by] = append(r.by[p.by], m)
			fmt.Printf("noticed by %s: %s (%v)\n", p.by, p.name, took)
		default:
			r.survivors = append(r.survivors, m)
			fmt.Printf("%s by %s: %s (%v)\n", map[outcome]string{survived: "NOT NOTICED", notBuilt: "DOES NOT COMPILE, not " +
				"judged",
				sameBuilt: "CHANGES NOTHING, not noticed", sameCore: "CHANGES NOTHING IN THE CORE, not noticed"}[what], p.by,
				p.name, took)
		}
		r.mutex.Unlock()
	}
}

// tryPlanted plants one known fault, runs its test, and removes the fault.
func (t *tree) tryPlanted(p planted, a *atlas) (m mutant, what outcome, err error) {
	if m, err = p.locate(t.directory); err != nil {
		return m, notBuilt, err
	}
	undo, err := t.plant(m)
	if undo != nil {
		defer func() { err = errors.Join(err, undo()) }()
	}
	if err != nil {
		return m, notBuilt, err
	}
	if isInSpine(m.file) {
		what, err = t.buildC(m, p.by.build)
	} else {
		what, err = t.build(m)
	}
	if err != nil || what == notBuilt || isInSpine(m.file) && what == sameBuilt {
		return m, what, err
	}
	if !isInSpine(m.file) { // the test's objects may contain the fault, too, and so may the tool
		program := t.testProgram(p.by.pack)
		if !t.fresh[t.tool()] {
			if _, err := t.buildToolWith(); err != nil {
				return m, notBuilt, err
			}
		}
		if err := errors.Join(t.renew(program), os.RemoveAll(program), t.buildTests(p.by.pack)); err != nil {
			return m, notBuilt, nil
		}
	}
	_, failed, err := t.perform(p.by.pack, p.by.build, []string{p.by.name}, patience(a.testTime(p.by), p.by.build), true)
	if err == nil && failed != "" {
		return m, killed, nil
	}
	return m, survived, err
}
