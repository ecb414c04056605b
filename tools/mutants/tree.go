package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tree is a copy of the source with its build, in which faults are planted.
type tree struct {
	folder   string
	packages []string // test packages that run on the built library, compiled once
}

// newTree copies what git tracks, and the build folder with its times, so that make builds only what a fault touches.
func newTree(ctx context.Context) (*tree, error) {
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	t := &tree{folder: folder}
	copyAll := `git ls-files -z | xargs -0 cp -a --parents -t "$1" && if [ -d build ]; then cp -a build "$1"/; fi`
	if text, err := exec.CommandContext(ctx, "sh", "-c", copyAll, "sh", folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("copying: %w\n%s", err, text)
	}
	if text, err := t.command(ctx, "make", "-s", "all"); err != nil {
		return nil, fmt.Errorf("make: %w\n%s", err, text)
	}
	// A library of the copy must be told from one of this tree: the tests find it by their own path.
	listed, err := t.command(ctx, "go", "list", "-f", "{{if .TestGoFiles}}{{.ImportPath}}{{end}}", "./test/...")
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, listed)
	}
	for _, pack := range strings.Fields(listed) {
		name := strings.TrimPrefix(pack, "vkloader/")
		switch filepath.Base(name) {
		case "programs", "storm", "conformance", "source", "bench": // long, or not about what the library does
			continue
		}
		if text, err := t.command(ctx, "go", "test", "-c", "-o", t.binary(name), "./"+name); err != nil {
			return nil, fmt.Errorf("compiling the tests of %s: %w\n%s", name, err, text)
		}
		t.packages = append(t.packages, name)
	}
	return t, nil
}

func (t *tree) binary(pack string) string {
	return filepath.Join(t.folder, "build", "mutants", strings.ReplaceAll(pack, "/", "_")+".test")
}

func (t *tree) command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.folder
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// sound keeps the packages whose tests pass without a fault, and returns the others.
func (t *tree) sound(ctx context.Context, limit time.Duration) (left []string) {
	kept := t.packages[:0]
	for _, pack := range t.packages {
		start := time.Now()
		if ok, _ := t.passes(ctx, pack, limit); !ok {
			if ok, text := t.passes(ctx, pack, limit); !ok {
				left = append(left, pack+"\n"+text)
				continue
			}
		}
		fmt.Printf("%s passes in %v\n", pack, time.Since(start).Round(time.Second))
		kept = append(kept, pack)
	}
	t.packages = kept
	return left
}

// passes runs the tests of a package; when they fail, the end of what they said comes back too.
func (t *tree) passes(ctx context.Context, pack string, limit time.Duration) (bool, string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.binary(pack), "-test.failfast", "-test.short", "-test.parallel=4", "-test.timeout="+limit.String())
	cmd.Dir = filepath.Join(t.folder, pack)
	cmd.WaitDelay = 5 * time.Second
	text, err := cmd.CombinedOutput() // a hang counts as a failure: the limit ends it
	if len(text) > 2000 {
		text = text[len(text)-2000:]
	}
	return err == nil, string(text)
}

// test runs the tests until one package fails, and returns its name; "" when none has.
func (t *tree) test(ctx context.Context, file string, limit time.Duration) string {
	if strings.HasPrefix(file, "internal/") {
		pack := filepath.Dir(file)
		if _, err := t.command(ctx, "go", "test", "-short", "./"+pack+"/..."); err != nil {
			return pack
		}
		if _, err := t.command(ctx, "go", "test", "-short", "./internal/..."); err != nil {
			return "internal"
		}
	}
	for _, pack := range t.order(file) {
		if ok, _ := t.passes(ctx, pack, limit); ok {
			continue
		}
		if ok, _ := t.passes(ctx, pack, limit); !ok { // twice: a busy machine fails a test now and then
			return pack
		}
	}
	return ""
}

// order puts the packages that are likely to notice a fault in a file to the front.
func (t *tree) order(file string) []string {
	likely := map[string][]string{
		"spine/surface": {"test/wsi"}, "spine/swapchain": {"test/wsi"}, "spine/messenger": {"test/debug"}, "spine/naming": {"test/debug"},
		"spine/physdev": {"test/physdev"}, "spine/group": {"test/physdev"}, "spine/sort": {"test/physdev"}, "spine/filter": {"test/physdev"},
		"spine/query": {"test/physdev"}, "spine/display": {"test/physdev"}, "spine/layer": {"test/layers"}, "spine/names": {"test/dispatch"},
		"spine/unknown": {"test/dispatch"}, "spine/missing": {"test/dispatch"}, "spine/driver": {"test/drivers", "test/instance"},
		"spine/memory": {"test/memory"}, "spine/core": {"test/guest"}, "spine/gate": {"test/guest"}, "spine/instance": {"test/instance", "test/layers"}, "spine/device": {"test/dispatch", "test/layers"},
		"internal/search": {"test/drivers", "test/discovery"}, "internal/manifest": {"test/drivers", "test/discovery"},
	}
	var out []string
	for prefix, packs := range likely {
		if strings.HasPrefix(file, prefix) {
			out = append(out, packs...)
		}
	}
	out = append(out, t.packages...)
	seen := map[string]bool{}
	kept := out[:0]
	for _, pack := range out {
		if slices.Contains(t.packages, pack) && !seen[pack] {
			seen[pack] = true
			kept = append(kept, pack)
		}
	}
	return kept
}

// try plants a fault, builds, tests, and takes the fault out again.
func (t *tree) try(ctx context.Context, m mutant, limit time.Duration) (killedBy string, built bool, err error) {
	path := filepath.Join(t.folder, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false, err
	}
	changed := string(text[:m.from]) + m.with + string(text[m.to:])
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		return "", false, err
	}
	defer func() {
		if restored := os.WriteFile(path, text, 0o644); restored != nil && err == nil {
			err = restored
		}
	}()
	parts := []string{"-s", "spine"}
	if strings.HasSuffix(m.file, ".go") {
		parts = []string{"-s", "core", "spine"}
	}
	if _, err := t.command(ctx, "make", parts...); err != nil {
		return "", false, nil
	}
	return t.test(ctx, m.file, limit), true, nil
}
