package main

import (
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
	ctx      context.Context
	folder   string
	packages []testPackage
	spine    map[string]commands // by build: "", and those of sanitizers
	inCore   map[string]bool     // the folders of the core's own packages
	fresh    map[string]bool     // what has been built from the fault that is planted
	top      string
}

// commands are the Makefile's, for one build of the library.
type commands struct {
	compile map[string]string // by file
	link    string
}

// testPackage is a package with tests.
type testPackage struct {
	name  string          // relative to the top folder
	needs map[string]bool // folders of this module that its test program is linked from
}

// runsTool has the test packages that run build/vkloader.
var runsTool = map[string]bool{"test/programs": true, "test/tool": true}

// newTree copies what git knows, and the build folder with its times, so that only what a fault touches is built again.
func newTree(ctx context.Context, top string) (*tree, error) {
	folder, err := os.MkdirTemp("", "mt-") // short: sockets lie below
	if err != nil {
		return nil, err
	}
	t := &tree{ctx: ctx, folder: folder, top: top, fresh: map[string]bool{}}
	copyAll := `cd "$2" && git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$1" &&
		mkdir -p "$1/build/mutants" "$1/t" && for f in build/*; do case $f in
			build/frame-* | build/mutants) ;; *) cp -a "$f" "$1/build/" ;; esac; done`
	if text, err := t.command("sh", "-c", copyAll, "sh", folder, top); err != nil {
		return nil, fmt.Errorf("copying: %w\n%s", err, text)
	}
	if text, err := t.command("make", "-s", "all", "asan", "tsan"); err != nil {
		return nil, fmt.Errorf("make: %w\n%s", err, text)
	}
	if err := errors.Join(t.readCommands(), t.readPackages()); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *tree) path(parts ...string) string {
	return filepath.Join(append([]string{t.folder}, parts...)...)
}
func (t *tree) tool() string { return t.path("build", "vkloader") }

// library is the library's file of a build.
func (t *tree) library(build string) string {
	name, err := filepath.EvalSymlinks(t.path("build", "libvulkan.so.1"))
	if err != nil {
		name = "libvulkan.so.1"
	}
	return t.path("build", build, filepath.Base(name))
}

// core is the core's file; its name keeps the id of the sound source, so that the spine need not be built again.
func (t *tree) core() string {
	id, err := os.ReadFile(t.path("build", "core.id"))
	if err != nil {
		return ""
	}
	return t.path("build", "libvkcore-"+strings.TrimSpace(string(id))+".so")
}

// readCommands asks make how it compiles and links the spine: a fault then costs one compilation and one linking.
func (t *tree) readCommands() error {
	t.spine = map[string]commands{}
	for _, build := range append([]string{""}, sanitizers...) {
		if err := t.readCommandsOf(build); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) readCommandsOf(build string) error {
	c := commands{compile: map[string]string{}}
	sources, err := filepath.Glob(t.path("spine", "*.c"))
	if err != nil {
		return err
	}
	args := []string{"-n", "V=1", "-o", "build/core.id"}
	for _, source := range sources {
		args = append(args, "-W", "spine/"+filepath.Base(source))
	}
	text, err := t.command("make", append(args, filepath.Join("build", build, filepath.Base(t.library(build))))...)
	if err != nil {
		return fmt.Errorf("make -n: %w\n%s", err, text)
	}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case strings.Contains(line, " -c -o ") && len(words) > 0:
			c.compile[words[len(words)-1]] = line
		case strings.Contains(line, " -shared "):
			c.link = line
		}
	}
	if len(c.compile) != len(sources) || c.link == "" {
		return fmt.Errorf("make -n names %d of %d compilations\n%s", len(c.compile), len(sources), text)
	}
	t.spine[build] = c
	return nil
}

// readPackages lists the packages with tests of what the library and the tool do, with what they are linked from.
func (t *tree) readPackages() error {
	text, err := t.command("go", "list", "-deps", "./cmd/libvkcore")
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, text)
	}
	t.inCore = map[string]bool{}
	for _, name := range strings.Fields(text) {
		if folder, ok := strings.CutPrefix(name, "vkloader/"); ok {
			t.inCore[folder] = true
		}
	}
	text, err = t.command("go", "list", "-test", "-f", "{{if .ForTest}}{{.ForTest}} {{join .Deps \" \"}}{{end}}",
		"./internal/...", "./cmd/...", "./test/...")
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, text)
	}
	byName := map[string]map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		name := strings.TrimPrefix(words[0], "vkloader/")
		switch filepath.Base(name) {
		case "storm", "conformance", "source", "bench", "compute": // long, or not about what the library does
			continue
		}
		if byName[name] == nil {
			byName[name] = map[string]bool{}
		}
		for _, dep := range append(words[1:], words[0]) {
			if folder, ok := strings.CutPrefix(strings.TrimPrefix(dep, "["), "vkloader/"); ok {
				byName[name][folder] = true
			}
		}
	}
	for name, needs := range byName {
		t.packages = append(t.packages, testPackage{name, needs})
	}
	return nil
}

// testProgram is where the tests of a package are built.
func (t *tree) testProgram(pack string) string {
	return t.path("build", "mutants", filepath.Dir(pack), filepath.Base(pack)+".test")
}

// buildTests compiles the tests of packages, those of one folder in one go.
func (t *tree) buildTests(packs ...string) error {
	byFolder := map[string][]string{}
	for _, pack := range packs {
		byFolder[filepath.Dir(pack)] = append(byFolder[filepath.Dir(pack)], "./"+pack)
	}
	for folder, list := range byFolder {
		out := t.path("build", "mutants", folder) + "/"
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
		if text, err := t.command("go", append([]string{"test", "-c", "-ldflags=-s -w", "-o", out}, list...)...); err != nil {
			return fmt.Errorf("compiling the tests of %v: %w\n%s", list, err, text)
		}
	}
	return nil
}

func (t *tree) buildAllTests() error {
	var packs []string
	for _, p := range t.packages {
		packs = append(packs, p.name)
	}
	return t.buildTests(packs...)
}

func (t *tree) buildCore() error {
	const flags = `SEARCH_FOLDERS="$(make -s --eval 'print-it:;@echo "$(SEARCH_FOLDERS)"' print-it)" `
	if text, err := t.shell(flags + "CGO_ENABLED=1 cmd/libvkcore/build.sh " + t.core()); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

func (t *tree) buildTool() error {
	if text, err := t.command("make", "-s", "-o", "build/core.id", "build/vkloader"); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

func (t *tree) command(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.ctx, name, args...)
	cmd.Dir = t.folder
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

// outcome is what became of a fault.
type outcome int

const (
	survived outcome = iota
	killed
	notBuilt // no program any more: says nothing about the tests
	sameBuilt
)

// plant puts a fault into the source. The function that it returns takes it out again, with what was built from it.
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

// renew notes that a file is about to be built with the fault, and keeps the one without it.
func (t *tree) renew(built string) error {
	t.fresh[built] = true
	if _, err := os.Stat(built + ".sound"); err == nil {
		return nil
	} else if _, err := os.Stat(built); err != nil { // was never built
		return nil
	}
	return copyFile(built, built+".sound")
}

// build makes the library of the source with the fault: survived, so far, when it has become another one.
func (t *tree) build(m mutant) (outcome, error) {
	if strings.HasSuffix(m.file, ".go") {
		return t.buildGo(m)
	}
	return t.buildC(m, "")
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
	if t.inCore[filepath.Dir(m.file)] {
		if err := t.renew(t.core()); err != nil {
			return notBuilt, err
		}
		if err := t.buildCore(); err != nil {
			return notBuilt, nil
		}
		if same, err := sameCode(t.core(), t.core()+".sound"); err != nil || !same {
			return survived, err
		}
	}
	if err := t.renew(t.tool()); err != nil { // what is not in the core may be in the tool
		return notBuilt, err
	}
	if err := t.buildTool(); err != nil {
		return notBuilt, nil
	}
	if same, err := sameCode(t.tool(), t.tool()+".sound"); err != nil || same {
		return sameBuilt, err
	}
	return survived, nil
}

// refresh builds a test program with the fault, when it is linked from the file, and the tool where the tests run it.
func (t *tree) refresh(p testPackage, file string) error {
	if !strings.HasSuffix(file, ".go") {
		return nil
	}
	if runsTool[p.name] && !t.fresh[t.tool()] {
		if err := errors.Join(t.renew(t.tool()), t.buildTool()); err != nil {
			return err
		}
	}
	program := t.testProgram(p.name)
	if !p.needs[filepath.Dir(file)] {
		return nil
	}
	if !t.fresh[program] {
		if err := errors.Join(t.renew(program), os.RemoveAll(program), t.buildTests(p.name)); err != nil {
			return err
		}
	}
	_, err := os.Stat(program) // it may have failed before
	return err
}
