package discover_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"vkloader/discover"
)

// Questions about a nil host are errors, and a host without files has no driver.
func TestNoHost(t *testing.T) {
	t.Parallel()
	var none *discover.Host
	ctx := t.Context()
	for name, ask := range map[string]func(h *discover.Host) error{
		"Decide": func(h *discover.Host) error { _, err := discover.Decide(ctx, h, discover.Program{}); return err },
		"Paths":  func(h *discover.Host) error { _, err := discover.Paths(ctx, h, discover.Program{}); return err },
		"Loader": func(h *discover.Host) error { _, err := discover.LoaderOf(ctx, h, discover.Program{}); return err },
		"GPUs":   func(h *discover.Host) error { _, err := discover.GPUs(ctx, h); return err },
		"Closure": func(h *discover.Host) error {
			_, err := discover.Closure(ctx, h, discover.Driver{Library: "/a"})
			return err
		},
		"Layer": func(h *discover.Host) error {
			_, err := discover.LayerClosure(ctx, h, discover.Layer{Library: "/a"})
			return err
		},
	} {
		for _, h := range []*discover.Host{none, none.WithEnv("A=1"), {}} {
			if err := ask(h); err == nil || !strings.Contains(err.Error(), "no host") {
				t.Errorf("%s of %v: %v", name, h, err)
			}
		}
		if err := ask(discover.Files(nil)); name == "Decide" && !errors.Is(err, discover.ErrNoDriver) {
			t.Errorf("%s of no files: %v", name, err)
		}
	}
	if none.String() == "" {
		t.Error("no host has no name")
	}
}

// A cancelled decision ends soon, even in a directory with very many manifests.
func TestCancelledDecision(t *testing.T) {
	t.Parallel()
	const count = 20000
	files := fstest.MapFS{}
	manifest := &fstest.MapFile{Data: []byte(`{"file_format_version":"1.0.1","ICD":{"library_path":"/a.so","api_version":"1.3.0"}}`)}
	for i := range count {
		files[fmt.Sprintf("usr/share/vulkan/icd.d/%05d.json", i)] = manifest
	}
	begin := time.Now()
	if _, err := discover.Decide(t.Context(), discover.Files(files), discover.Program{}); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begin)
	for _, after := range []int64{100, count / 2, count - 1} {
		for attempt := 1; ; attempt++ { // other work of the machine may delay the decision
			ctx, cancel := context.WithCancel(t.Context())
			counting := &countingFS{MapFS: files, after: after, do: cancel}
			_, err := discover.Decide(ctx, discover.Files(counting), discover.Program{})
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if counting.opened.Load() > after+10 {
				t.Errorf("%d files were opened after the end of the context", counting.opened.Load()-after)
			}
			late := time.Since(time.Unix(0, counting.done.Load()))
			if late <= whole/4 {
				break
			}
			if attempt == 10 {
				t.Errorf("the decision returned %v after the end of its context, after %d files; a whole decision takes %v", late, after, whole)
				break
			}
		}
	}
}

// A library's Real is the file behind its links, also if a link leads out of its directory.
func TestRealOfLinks(t *testing.T) {
	t.Parallel()
	m := machines()[0]
	name := strings.TrimPrefix(triplet, "/") + "libvulkan_radeon.so"
	data := m.files[name]
	if data == nil {
		t.Fatalf("no %s", name)
	}
	m.files["opt/mesa/lib/libvulkan_radeon.so.1"] = data
	m.files[name] = &fstest.MapFile{Data: []byte("../../../opt/mesa/lib/libvulkan_radeon.so.1"), Mode: os.ModeSymlink | 0o777}
	for host, files := range map[string]*discover.Host{"files": discover.Files(m.files), "root": discover.Root(below(t, m.files))} {
		answer, err := discover.Decide(t.Context(), files, discover.Program{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range answer.Drivers {
			if !strings.HasPrefix(d.Name, "radeon") {
				continue
			}
			found, err := discover.Closure(t.Context(), files, d)
			if err != nil || len(found.Files) == 0 || found.Files[0].Real != "/opt/mesa/lib/libvulkan_radeon.so.1" {
				t.Errorf("%s: %v %+v", host, err, found)
			}
		}
	}
}

// Inactive layers also have a library, with the same closure as if they were active.
func TestLibraryOfInactiveLayer(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"usr/share/vulkan/explicit_layer.d/a.json": {Data: []byte(`{"file_format_version":"1.0.0","layer":{
		"name":"VK_LAYER_A_a","type":"GLOBAL","library_path":"/usr/lib/liba.so","api_version":"1.3.0","implementation_version":"1","description":"a"}}`)}}
	answer, err := discover.Decide(t.Context(), discover.Files(files), discover.Program{})
	if !errors.Is(err, discover.ErrNoDriver) {
		t.Fatal(err)
	}
	at := slices.IndexFunc(answer.Layers, func(l discover.Layer) bool { return l.Name == "VK_LAYER_A_a" })
	if at < 0 || answer.Layers[at].Used || answer.Layers[at].Library != "/usr/lib/liba.so" {
		t.Errorf("%+v", answer.Layers)
	}
}

// With a nil context, each function answers as with context.Background.
func TestNilContext(t *testing.T) {
	t.Parallel()
	var none context.Context
	host, missing := discover.Files(machines()[0].files), discover.ProbeOptions{Child: "/nonexistent"}
	for name, ask := range map[string]func(ctx context.Context) (any, error){
		"Decide":   func(ctx context.Context) (any, error) { return discover.Decide(ctx, host, discover.Program{}) },
		"Paths":    func(ctx context.Context) (any, error) { return discover.Paths(ctx, host, discover.Program{}) },
		"LoaderOf": func(ctx context.Context) (any, error) { return discover.LoaderOf(ctx, host, discover.Program{}) },
		"GPUs":     func(ctx context.Context) (any, error) { return discover.GPUs(ctx, host) },
		"Closure": func(ctx context.Context) (any, error) {
			return discover.Closure(ctx, host, discover.Driver{Library: "/a"})
		},
		"Layer": func(ctx context.Context) (any, error) {
			return discover.LayerClosure(ctx, host, discover.Layer{Library: "/a"})
		},
		"Probe": func(ctx context.Context) (any, error) { return discover.Probe(ctx, missing) },
	} {
		want, wantErr := ask(context.Background())
		if got, err := ask(none); fmt.Sprint(err) != fmt.Sprint(wantErr) || (got == nil) != (want == nil) {
			t.Errorf("%s: %v, %v; with a context %v, %v", name, got, err, want, wantErr)
		}
	}
}

// A file system without optional methods gives the same answer, and a broken one no driver. A panic of a file system reaches
// the caller.
func TestFilesInPart(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"usr/share/vulkan/icd.d/a.json": {Data: []byte(`{"file_format_version":"1.0.1","ICD":{"library_path":"/a.so","api_version":"1.3.0"}}`)}}
	decide := func(open openFunc) (*discover.Answer, error) {
		return discover.Decide(t.Context(), discover.Files(open), discover.Program{})
	}
	if answer, err := decide(files.Open); err != nil || len(answer.Drivers) != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := decide(func(string) (fs.File, error) { return nil, errors.New("broken") }); !errors.Is(err, discover.ErrNoDriver) {
		t.Error(err)
	}
	defer func() {
		if got := recover(); got != "a panic of the files" {
			t.Errorf("recovered %v", got)
		}
	}()
	_, err := decide(func(string) (fs.File, error) { panic("a panic of the files") })
	t.Errorf("no panic, and %v", err)
}

// openFunc is a file system of one function.
type openFunc func(name string) (fs.File, error)

func (open openFunc) Open(name string) (fs.File, error) { return open(name) }

// A nil report has no devices, and a driver or layer without a library has no closure.
func TestNothingGiven(t *testing.T) {
	t.Parallel()
	required := &discover.Requirement{}
	if err := required.Check(nil); !errors.Is(err, discover.ErrNoDevice) {
		t.Error(err)
	}
	if v := required.Verdict(nil); v.Met || v.Code != discover.UnmetDevice {
		t.Errorf("%+v", v)
	}
	host := discover.Files(nil)
	_, driver := discover.Closure(t.Context(), host, discover.Driver{})
	_, layer := discover.LayerClosure(t.Context(), host, discover.Layer{})
	for _, err := range []error{driver, layer} {
		if !errors.Is(err, fs.ErrInvalid) || !strings.HasPrefix(err.Error(), "the manifest names no library") {
			t.Error(err)
		}
	}
}

// countingFS is a file system that calls a function after a number of opened files.
type countingFS struct {
	fstest.MapFS
	after  int64
	opened atomic.Int64
	do     func()
	done   atomic.Int64
}

func (c *countingFS) Open(name string) (fs.File, error) {
	if c.opened.Add(1) == c.after {
		c.done.Store(time.Now().UnixNano())
		c.do()
	}
	return c.MapFS.Open(name)
}
