package component

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/sealed"
	"vkloader/internal/decide/wording"
)

// Resolver finds packages and reads drivers from them.
type Resolver struct {
	Roots []string      // of packages, in order
	Cache string        // directory of unpacked images
	Step  time.Duration // how long one step may take (PRO-025); 0: without a limit
	Log   *slog.Logger

	code func(name string, from io.Reader) (*os.File, error) // sealed.Code, or a replacement in tests
}

// errTime is the error of a step that took too long.
var errTime = errors.New("it took too long")

// RunStep runs one step, and returns errTime after limit. A step that hangs then continues in its goroutine.
func RunStep[T any](ctx context.Context, limit time.Duration, step func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	done := make(chan result, 1)
	go func() {
		value, err := step()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return none, errTime
		}
		return none, ctx.Err()
	}
}

// Lookup finds the driver of a URL. It reports its progress at every stage and returns the last report, even with an
// error.
func (r *Resolver) Lookup(ctx context.Context, url string, number int, progress func(Report)) (Report, error) {
	report := Report{Status: Uninitialized}
	enter := func(status string) {
		report.Status = status
		progress(report)
	}
	created, err := RunStep(ctx, r.Step, func() (*instance, error) { return r.create(url) })
	if err != nil {
		report.CreateResponse = protocol.ErrorOf(err).Code
		return report, err
	}
	defer created.close()
	enter(Created)
	bound, err := RunStep(ctx, r.Step, func() (*exposed, error) { return created.run() })
	if err != nil {
		report.BindResponse = protocol.ErrorOf(err).Code
		return report, err
	}
	defer bound.close()
	enter(Bound)
	enter(Reading)
	m, err := RunStep(ctx, r.Step, func() (*metadata, error) {
		data, err := text(bound.metadata, "metadata.json")
		if err != nil {
			return nil, err
		}
		return parseMetadata(data)
	})
	if err != nil {
		return report, fmt.Errorf("metadata.json: %w", err)
	}
	r.warn(url, "metadata.json", m.doubled)
	report.Version, report.FilePath = m.version, m.filePath
	enter(OpenManifest)
	manifest, err := RunStep(ctx, r.Step, func() ([]byte, error) { return text(bound.contents, m.manifestPath) })
	var doubled []string
	if err == nil {
		report.LibraryPath, report.Manifest, doubled, err = rewrite(manifest, number)
	}
	if err != nil {
		return report, fmt.Errorf("%s: %w", m.manifestPath, err)
	}
	r.warn(url, m.manifestPath, doubled)
	enter(OpenLibrary)
	library, err := RunStep(ctx, r.Step, func() (*Library, error) { return r.library(created, bound, m.filePath) })
	if err != nil {
		return report, fmt.Errorf("%s: %w", m.filePath, err)
	}
	report.Library = library
	report.Status = Initialized
	return report, nil
}

func (r *Resolver) warn(url, file string, doubled []string) {
	for _, name := range doubled {
		r.Log.Warn("a JSON name comes more than once: the last one counts", "component", url, "file", file, "name",
			name)
	}
}

// instance is a created component: its layout, and the open root of its package.
type instance struct {
	layout
	root *os.File
}

func (i *instance) close() { i.root.Close() }

// exposed holds the directories that a component exposes.
type exposed struct{ contents, metadata *os.File }

func (e *exposed) close() {
	e.contents.Close()
	e.metadata.Close()
}

// create finds the package and reads its component manifest.
func (r *Resolver) create(text string) (*instance, error) {
	u, err := Parse(text)
	if err != nil {
		return nil, protocol.Refuse(protocol.ErrInvalidArguments, err)
	}
	i := &instance{layout: defaults}
	if i.root, err = r.root(u); err != nil {
		return nil, err
	}
	if u.component != "" {
		if err = i.read(u.component); err != nil {
			i.close()
			return nil, err
		}
	}
	// The service starts no program, so it refuses every runner except the one that opens directories (PRO-018).
	if i.runner != defaults.runner {
		i.close()
		return nil, protocol.Refuse(protocol.ErrUnsupported,
			fmt.Errorf("runner %q: only %s is there", i.runner, defaults.runner))
	}
	return i, nil
}

func (i *instance) read(name string) error {
	data, err := text(i.root, name)
	if err != nil {
		return err
	}
	l, err := parseLayout(data)
	if err != nil {
		return protocol.Refuse(protocol.ErrInvalidArguments, fmt.Errorf("component manifest: %w", err))
	}
	i.layout = *l
	return nil
}

// root opens a package's directory.
func (r *Resolver) root(u *URL) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	switch u.form {
	case formPackage:
		for _, root := range r.Roots {
			f, err := os.OpenFile(filepath.Join(root, u.name), flags, 0)
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return f, err
			}
		}
		return nil, protocol.Refuse(protocol.ErrNotFound, fmt.Errorf("no package root has %s", u.name))
	case formOCI:
		directory, err := r.imageDirectory(u)
		if err != nil {
			return nil, err
		}
		return os.OpenFile(directory, flags, 0)
	}
	return os.OpenFile(u.name, flags, 0)
}

// run is the runner (FLS-078): it opens the directories, and starts nothing.
func (i *instance) run() (*exposed, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY
	contents, err := beneath(i.root, i.layout.contents, flags)
	if err != nil {
		return nil, fmt.Errorf("contents: %w", err)
	}
	metadata, err := beneath(i.root, i.layout.metadata, flags)
	if err != nil {
		contents.Close()
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return &exposed{contents, metadata}, nil
}

// library returns a sealed copy of the library, or the package's own file where memory files cannot be executed.
func (r *Resolver) library(i *instance, e *exposed, name string) (*Library, error) {
	f, size, err := regular(e.contents, name)
	if err != nil {
		return nil, err
	}
	code := r.code
	if code == nil {
		code = sealed.Code
	}
	copied, err := code(filepath.Base(name), io.NewSectionReader(f, 0, size))
	if err == nil {
		f.Close()
		return &Library{border.Held{File: copied, Backing: border.Sealed}, size}, nil
	}
	// fall back to the package's own file, after verifying its digest (PRO-013)
	if errors.Is(err, sealed.ErrForbidden) {
		if err = verify(i, name, f); err == nil {
			return &Library{border.Held{File: f, Backing: border.Clone}, size}, nil
		}
	}
	f.Close()
	return nil, err
}

// digests names the file with a package's digests: a JSON object of paths and "sha256:..." values.
const digests = "meta/digests.json"

// verify compares a file with its digest in the package.
func verify(i *instance, name string, f *os.File) error {
	data, err := text(i.root, digests)
	if err != nil {
		return fmt.Errorf("the kernel forbids a copy, and the package's own file is not known to be whole: %w", err)
	}
	var known map[string]string
	if err := wording.Malformed(data, json.Unmarshal(data, &known)); err != nil {
		return fmt.Errorf("%s: %w", digests, err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	if got := "sha256:" + hex.EncodeToString(hash.Sum(nil)); known[name] != got {
		return fmt.Errorf("it is %s, and %s says %q", got, digests, known[name])
	}
	return nil
}
