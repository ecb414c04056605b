package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is a copy of the source with its build, in which faults are planted.
type tree struct {
	ctx       context.Context
	directory string
	linked    linked
	code      map[string][]byte // the machine code without a fault, by object or program
	faulty    map[string]bool   // packages whose test programs contain the fault
	sound     map[testName]bool // tests that pass without a fault
	unsound   map[testName]bool // tests that fail without a fault; they do not run
}

// newTree copies the files that git lists, and the build directory with its times, so that a fault causes only the
// necessary builds.
func newTree(ctx context.Context, top string) (*tree, error) {
	directory, err := os.MkdirTemp("", "mt-") // a short name, because sockets are created below it
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(directory, 0o755); err != nil { // tests start programs of other users in it
		return nil, err
	}
	t := &tree{ctx: ctx, directory: directory, code: map[string][]byte{}, faulty: map[string]bool{},
		sound: map[testName]bool{}, unsound: map[testName]bool{}}
	copyAll := `cd "$2" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$1" &&
		mkdir -p "$1/build/mutants" "$1/t" && for f in build/*; do case $f in
			build/frame-* | build/mutants) ;; *) cp -a "$f" "$1/build/" ;; esac; done`
	if text, err := t.command("sh", "-c", copyAll, "sh", directory, top); err != nil {
		return nil, fmt.Errorf("copying: %w\n%s", err, text)
	}
	if text, err := t.make(append([]string{"all"}, sanitizers...)...); err != nil {
		return t, fmt.Errorf("make: %w\n%s", err, text)
	}
	t.linked, err = readLinked(directory)
	return t, err
}

func (t *tree) path(parts ...string) string {
	return filepath.Join(append([]string{t.directory}, parts...)...)
}

// testProgram returns the path of a package's compiled tests.
func (t *tree) testProgram(pack string) string {
	return t.path("build", "mutants", filepath.Dir(pack), filepath.Base(pack)+".test")
}

// buildTests compiles the tests of a package.
func (t *tree) buildTests(pack string) error {
	program := t.testProgram(pack)
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return err
	}
	if text, err := t.command("go", "test", "-c", "-ldflags=-s -w", "-o", program, "./"+pack); err != nil {
		return fmt.Errorf("compiling the tests of %s: %w\n%s", pack, err, text)
	}
	return nil
}

func (t *tree) command(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, name, args...)
	cmd.Dir = t.directory
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (t *tree) make(targets ...string) (string, error) {
	return t.command("make", append([]string{"-s"}, targets...)...)
}

// outcome is the result of a fault.
type outcome int

const (
	survived outcome = iota
	killed
	notBuilt // it does not compile: no evidence about the tests
	sameBuilt
)

// products returns the files that a fault in a file changes, and the targets of make for it, in a build of the library:
// "", or one of sanitizers.
func products(file, build string) (paths, targets []string) {
	switch {
	case build != "":
		return []string{filepath.Join("build", build, "obj", file+".o")}, []string{build}
	case isInSpine(file):
		return []string{filepath.Join("build/obj", file+".o")}, []string{"spine"}
	}
	return []string{"build/obj/core.o", "build/vkloader"}, []string{"spine", "core", "tool"}
}

// plant puts a fault into the source. The returned function removes it, and the test programs that contain it.
func (t *tree) plant(m mutant) (undo func() error, err error) {
	for _, build := range append([]string{""}, sanitizers...) {
		paths, _ := products(m.file, build)
		for _, path := range paths {
			if t.code[path] != nil || build != "" && !isInSpine(m.file) {
				continue
			}
			if t.code[path], err = machineCode(t.path(path)); err != nil { // no earlier fault was in this file
				return nil, err
			}
		}
	}
	path := t.path(m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	undo = func() error {
		err := os.WriteFile(path, text, 0o644)
		for pack := range t.faulty {
			if there := os.Remove(t.testProgram(pack)); !errors.Is(there, fs.ErrNotExist) {
				err = errors.Join(err, there)
			}
		}
		clear(t.faulty)
		return err
	}
	return undo, os.WriteFile(path, []byte(string(text[:m.from])+m.with+string(text[m.to:])), 0o644)
}

// build builds the library or the tool with the fault: survived, so far, if the machine code differs.
func (t *tree) build(m mutant, build string) (outcome, error) {
	paths, targets := products(m.file, build)
	if _, err := t.make(targets...); err != nil {
		return notBuilt, t.ctx.Err()
	}
	for _, path := range paths {
		if code, err := machineCode(t.path(path)); err != nil || !bytes.Equal(code, t.code[path]) {
			return survived, err
		}
	}
	return sameBuilt, nil
}

// refresh builds a test program with the fault if it is linked from the file.
func (t *tree) refresh(pack, file string) error {
	if !strings.HasSuffix(file, ".go") || !t.linked[pack][filepath.Dir(file)] || t.faulty[pack] {
		return nil
	}
	t.faulty[pack] = true
	return errors.Join(os.RemoveAll(t.testProgram(pack)), t.buildTests(pack))
}
