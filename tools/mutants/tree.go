package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	spine     map[string]commands // by build: "", and those of sanitizers
	fresh     map[string]bool     // targets that were built from the planted fault
	sound     map[testName]bool   // tests that pass without a fault
	unsound   map[testName]bool   // tests that fail without a fault; they do not run
}

// commands are the Makefile's, for one build of the library.
type commands struct {
	compile   map[string]string // by file
	link      string
	translate string // writes build/core.c
}

// runsTool has the test packages that run build/vkloader.
var runsTool = map[string]bool{"test/loader/programs": true, "test/tool/commands": true,
	"test/loader/randomworlds": true}

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
	t := &tree{ctx: ctx, directory: directory, fresh: map[string]bool{},
		sound: map[testName]bool{}, unsound: map[testName]bool{}}
	copyAll := `cd "$2" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$1" &&
		mkdir -p "$1/build/mutants" "$1/t" && for f in build/*; do case $f in
			build/frame-* | build/mutants) ;; *) cp -a "$f" "$1/build/" ;; esac; done`
	if text, err := t.command("sh", "-c", copyAll, "sh", directory, top); err != nil {
		return nil, fmt.Errorf("copying: %w\n%s", err, text)
	}
	if text, err := t.command("make", append([]string{"-s", "all"}, sanitizers...)...); err != nil {
		return t, fmt.Errorf("make: %w\n%s", err, text)
	}
	t.spine = map[string]commands{}
	for _, build := range append([]string{""}, sanitizers...) {
		if err := t.readCommands(build); err != nil {
			return t, err
		}
	}
	if text, err := t.shell("CGO_ENABLED=0 go build -o " + t.goc() + " ./tools/goc"); err != nil {
		return t, fmt.Errorf("%w\n%s", err, text)
	}
	t.linked, err = readLinked(directory)
	return t, err
}

func (t *tree) path(parts ...string) string {
	return filepath.Join(append([]string{t.directory}, parts...)...)
}
func (t *tree) tool() string     { return t.path("build", "vkloader") }
func (t *tree) goc() string      { return t.path("build", "mutants", "goc") }
func (t *tree) coreText() string { return t.path("build", "core.c") }
func (t *tree) core() string     { return t.path("build", "obj", "core.o") }

// library returns the path of a build's library.
func (t *tree) library(build string) string {
	name, err := filepath.EvalSymlinks(t.path("build", "libvulkan.so.1"))
	if err != nil {
		name = "libvulkan.so.1"
	}
	return t.path("build", build, filepath.Base(name))
}

// readCommands reads from make how a build is compiled and linked, so that a fault costs one compilation and one link.
func (t *tree) readCommands(build string) error {
	c := commands{compile: map[string]string{}}
	args := []string{"-n", "V=1", "-W", "tools/goc/main.go"}
	all, err := sources(t.directory)
	if err != nil {
		return err
	}
	want := map[string]bool{"build/core.c": true}
	for _, file := range all {
		if isInSpine(file) {
			args = append(args, "-W", file)
			want[file] = true
		}
	}
	generated, err := filepath.Glob(t.path("spine", "gen", "z*.c"))
	if err != nil {
		return err
	}
	for _, file := range generated {
		args = append(args, "-W", "spine/gen/"+filepath.Base(file))
	}
	text, err := t.command("make", append(args, filepath.Join("build", build, filepath.Base(t.library(build))))...)
	if err != nil {
		return fmt.Errorf("make -n: %w\n%s", err, text)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		words := strings.Fields(line)
		switch {
		case strings.Contains(line, " -c -o ") && strings.HasSuffix(line, ".c"):
			c.compile[words[len(words)-1]] = line
			delete(want, words[len(words)-1])
		case strings.Contains(line, " -shared "):
			c.link = line
		case strings.Contains(line, "run ./tools/goc "):
			_, c.translate, _ = strings.Cut(line, "run ./tools/goc ")
			c.translate = t.goc() + " " + c.translate
		}
	}
	if len(want) > 0 || c.link == "" || c.translate == "" {
		return fmt.Errorf("make -n does not say how these are made: %v, or the library, or build/core.c", want)
	}
	t.spine[build] = c
	return nil
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

func (t *tree) buildTool() error {
	if text, err := t.command("make", "-s", "build/vkloader"); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

func (t *tree) command(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, name, args...)
	cmd.Dir = t.directory
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (t *tree) shell(line string) (string, error) { return t.command("sh", "-c", line) }

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	temporary := to + ".new"
	out, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Rename(temporary, to))
}

// outcome is the result of a fault.
type outcome int

const (
	survived outcome = iota
	killed
	notBuilt // it does not compile: no evidence about the tests
	sameBuilt
)

// plant puts a fault into the source. The returned function removes it, and the targets that were built from it.
func (t *tree) plant(m mutant) (undo func() error, err error) {
	path := t.path(m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	clear(t.fresh)
	undo = func() error {
		err := os.WriteFile(path, text, 0o644)
		for built := range t.fresh {
			sound := built + ".sound"
			if _, missing := os.Stat(sound); missing == nil {
				err = errors.Join(err, copyFile(sound, built))
			} else if there := os.Remove(built); !errors.Is(there, fs.ErrNotExist) {
				err = errors.Join(err, there)
			}
		}
		return err
	}
	return undo, os.WriteFile(path, []byte(string(text[:m.from])+m.with+string(text[m.to:])), 0o644)
}

// renew saves a file that is about to be built with the fault.
func (t *tree) renew(built string) error {
	t.fresh[built] = true
	if _, err := os.Stat(built + ".sound"); err == nil {
		return nil
	} else if _, err := os.Stat(built); err != nil { // was never built
		return nil
	}
	return copyFile(built, built+".sound")
}

// build builds the library with the fault: survived, so far, if the library differs.
func (t *tree) build(m mutant) (outcome, error) {
	if isInSpine(m.file) {
		return t.buildC(m, "")
	}
	return t.buildGo(m)
}

// translate makes the core again, and the library with it.
func (t *tree) translate() (outcome, error) {
	if err := errors.Join(t.renew(t.coreText()), t.renew(t.core()), t.renew(t.library(""))); err != nil {
		return notBuilt, err
	}
	if _, err := t.shell(t.spine[""].translate); err != nil {
		return notBuilt, nil
	}
	now, err := os.ReadFile(t.coreText())
	if err != nil {
		return notBuilt, err
	}
	if sound, err := os.ReadFile(t.coreText() + ".sound"); err != nil || bytes.Equal(now, sound) {
		return sameBuilt, err
	}
	if _, err := t.shell(t.spine[""].compile["build/core.c"]); err != nil {
		return notBuilt, nil
	}
	if same, err := sameCode(t.core(), t.core()+".sound"); err != nil || same {
		return sameBuilt, err
	}
	if _, err := t.shell(t.spine[""].link); err != nil {
		return notBuilt, nil
	}
	return survived, nil
}

func (t *tree) buildC(m mutant, build string) (outcome, error) {
	object := t.path("build", build, "obj", m.file+".o")
	if err := errors.Join(t.renew(object), t.renew(t.library(build))); err != nil {
		return notBuilt, err
	}
	if _, err := t.shell(t.spine[build].compile[m.file]); err != nil {
		return notBuilt, nil
	}
	if same, err := sameCode(object, object+".sound"); err != nil || same {
		return sameBuilt, err
	}
	if _, err := t.shell(t.spine[build].link); err != nil {
		return notBuilt, nil
	}
	return survived, nil
}

func (t *tree) buildGo(m mutant) (outcome, error) {
	if strings.HasPrefix(m.file, "internal/core/") {
		if what, err := t.translate(); err != nil || what != sameBuilt {
			return what, err
		}
	}
	if err := t.refreshTool(); err != nil { // code outside the core may be in the tool
		return notBuilt, nil
	}
	if same, err := sameCode(t.tool(), t.tool()+".sound"); err != nil || same {
		return sameBuilt, err
	}
	return survived, nil
}

// refreshTool builds the tool with the fault.
func (t *tree) refreshTool() error {
	if t.fresh[t.tool()] {
		return nil
	}
	return errors.Join(t.renew(t.tool()), t.buildTool())
}

// refresh builds a test program with the fault if it is linked from the file, and the tool if the tests run it.
func (t *tree) refresh(pack, file string) error {
	if isInSpine(file) {
		return nil
	}
	if runsTool[pack] {
		if err := t.refreshTool(); err != nil {
			return err
		}
	}
	program := t.testProgram(pack)
	if !t.linked[pack][filepath.Dir(file)] {
		return nil
	}
	if !t.fresh[program] {
		if err := errors.Join(t.renew(program), os.RemoveAll(program), t.buildTests(pack)); err != nil {
			return err
		}
	}
	_, err := os.Stat(program) // it may have failed before
	return err
}
