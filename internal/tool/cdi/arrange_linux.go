package cdi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/machine"
)

// icdPlace is where manifests are written: every loader looks there, also for a program with more rights than its user.
const icdPlace = "/etc/vulkan/icd.d/"

// prefix begins the names of the manifests, which an image has not.
const prefix = "host-"

// hasItself is why a driver is not added, where nothing is lost.
const hasItself = "the image has this driver itself"

// noSuchPrograms is why a driver of 32 bits is not added, where nothing is lost.
const noSuchPrograms = "the image has no programs of 32 bits"

// Arrangement is what is to be done in a container that a file written here has brought drivers to.
type Arrangement struct {
	Links     []Link
	Manifests []Text
	Drivers   []Driver
}

// Link is a symbolic link to make.
type Link struct{ Path, Target string }

// Text is a file to write.
type Text struct {
	Path string
	Text []byte
}

// Driver is a driver that was brought, and what has become of it.
type Driver struct {
	Name    string `json:"name"`    // of its manifest
	Machine string `json:"machine"` // of the programs that it is for
	Added   bool   `json:"added"`
	Why     string `json:"why,omitempty"` // it is not
}

// kinds are the machines that drivers can be for.
var kinds = map[string]struct {
	class   int
	machine binary.Machine
}{"x86_64": {64, binary.X8664}, "i386": {32, binary.I386}, "aarch64": {64, binary.ARM64}}

// Arrange decides what is to be done in a container, in which the mounts are already. What the container has itself is
// used: a library that its dynamic linker finds is not added, and a driver of its own neither, but for one that has to be
// of the version of the kernel's module.
func Arrange(m *machine.Machine) *Arrangement {
	a := &Arrangement{}
	own := ownDrivers(m)
	for _, name := range names(m, strings.TrimSuffix(manifestsPlace, "/")) {
		if kind, known := kinds[name]; known {
			a.kind(m, name, binary.LinkerOptions{Class: kind.class, Machine: kind.machine}, own)
		}
	}
	if len(a.Manifests) > 0 {
		a.data(m, "")
	}
	return a
}

// ownDrivers are the libraries of the drivers that a container has itself, as its manifests name them.
func ownDrivers(m *machine.Machine) []string {
	answer, err := decision.Ask(&machine.Source{Machine: *m})
	if err != nil {
		return nil
	}
	var own []string
	for _, d := range answer.Drivers {
		if !strings.HasPrefix(d.Library, Directory+"/") { // not what an earlier start has left
			own = append(own, d.Library)
		}
	}
	return own
}

// has tells whether one of a container's own drivers is the same as one that was brought, and works.
func has(find *binary.Linker, options binary.LinkerOptions, own []string, library string) bool {
	return slices.ContainsFunc(own, func(o string) bool {
		if path.Base(o) != path.Base(library) {
			return false
		}
		r := find.Find(o)
		return r.File != nil && fault(find, r.File.Path, options) == ""
	})
}

// kind arranges the drivers for one kind of program.
func (a *Arrangement) kind(m *machine.Machine, name string, options binary.LinkerOptions, own []string) {
	find := binary.NewLinker(m, options)
	place := filesPlace + name
	with := newOverlay(m)
	var lacking []Link
	for _, file := range names(m, place) {
		if r := find.Find(file); r.File == nil || r.File.Err() != nil || strings.HasPrefix(r.File.Real, Directory+"/") {
			l := Link{path.Join(find.Last(), file), place + "/" + file}
			lacking = append(lacking, l)
			with.link(l.Path, l.Target)
		}
	}
	tried := binary.NewLinker(with.machine(), options)
	before := len(a.Manifests)
	for _, manifest := range names(m, manifestsPlace+name) {
		d := Driver{Name: manifest, Machine: name}
		text, library, err := read(m, manifestsPlace+name+"/"+manifest, place)
		if err != nil {
			d.Why = err.Error()
		} else if drivers.Of(library).Free() && has(find, options, own, library) {
			d.Why = hasItself
		} else if name == "i386" && !runs(m, binary.I386) {
			d.Why = noSuchPrograms
		} else if find.Last() == "" {
			d.Why = "the image's dynamic linker searches no directory for every program"
		} else {
			d.Why = fault(tried, library, options)
		}
		if d.Added = d.Why == ""; d.Added {
			to := icdPlace + prefix + manifest
			if name != "x86_64" { // two kinds of programs may have manifests of one name
				to = icdPlace + prefix + name + "-" + manifest
			}
			a.Manifests = append(a.Manifests, Text{to, text})
		}
		a.Drivers = append(a.Drivers, d)
	}
	if len(a.Manifests) > before {
		a.Links = append(a.Links, lacking...)
	}
}

// read gives a manifest with the library's place in the container, and that place.
func read(m *machine.Machine, manifest, place string) (text []byte, library string, err error) {
	content, err := m.ReadFile(manifest)
	if err != nil {
		return nil, "", fmt.Errorf("its manifest: %w", err)
	}
	var says struct{ ICD struct{ Library_path string } }
	if err := json.Unmarshal(content, &says); err != nil {
		return nil, "", fmt.Errorf("its manifest: %w", err)
	}
	library = place + "/" + path.Base(says.ICD.Library_path)
	text, err = rewritten(content, library)
	return text, library, err
}

// fault is why a driver does not work with what is there; "" when nothing stands against it.
func fault(find *binary.Linker, library string, options binary.LinkerOptions) string {
	f := find.Open(library)
	if f.Err() != nil {
		return fmt.Sprintf("%s: %v", library, f.Err())
	}
	if f.Class != options.Class || f.Machine != options.Machine {
		return library + " is for other programs"
	}
	return faults(find.Follow(f))
}

// faults is what is missing of what a library needs, in words.
func faults(c *binary.Closure) string {
	var list []string
	for _, missing := range c.Missing {
		list = append(list, fmt.Sprintf("%s needs %s, which the image lacks", path.Base(missing.By.Path), missing.Name))
	}
	type pairOf struct{ by, in string }
	newest := map[pairOf]binary.Old{} // of each pair of libraries, the newest version that is wanted
	var pairs []pairOf
	for _, old := range c.Old {
		pair := pairOf{old.By.Path, old.In.Path}
		have, known := newest[pair]
		if !known {
			pairs = append(pairs, pair)
		}
		if !known || binary.CompareVersions(old.Version, have.Version) > 0 {
			newest[pair] = old
		}
	}
	for _, pair := range pairs {
		old := newest[pair]
		has := "which has no such versions"
		if old.Newest != "" {
			has = "which has versions up to " + old.Newest
		}
		list = append(list, fmt.Sprintf("%s wants %s of the image's %s, %s", path.Base(old.By.Path), old.Version, old.In.Path, has))
	}
	return strings.Join(list, "; ")
}

// data links the files of data that the container lacks.
func (a *Arrangement) data(m *machine.Machine, directory string) {
	for _, name := range names(m, dataPlace+directory) {
		at := directory + "/" + name
		info, err := m.Stat(dataPlace + at)
		switch {
		case err != nil:
		case info.IsDir():
			a.data(m, at)
		default:
			if target, err := m.Readlink(at); strings.HasPrefix(target, Directory+"/") || err != nil && !m.Exists(at) {
				a.Links = append(a.Links, Link{at, dataPlace + at})
			}
		}
	}
}

// Into makes the arrangement in a container, whose file system lies below a directory. Every path is taken with that
// directory as "/", so that no link of the image leads out, and nothing is written to a volume, which is the host's.
func (a *Arrangement) Into(root string) error {
	base, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer base.Close()
	m := &machine.Machine{Root: root}
	var wrong []error
	for _, l := range a.Links {
		wrong = append(wrong, replace(m, base, l.Path, func(in *os.Root, name string) error { return in.Symlink(l.Target, name) }))
	}
	for _, t := range a.Manifests {
		wrong = append(wrong, replace(m, base, t.Path, func(in *os.Root, name string) error {
			f, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
			if err != nil {
				return err
			}
			_, err = f.Write(t.Text)
			return errors.Join(err, f.Chmod(0o644), f.Close())
		}))
	}
	return errors.Join(wrong...)
}

// replace writes a file in place of what an earlier start of the container has left there.
func replace(m *machine.Machine, base *os.Root, name string, make func(in *os.Root, name string) error) error {
	directory, err := m.Real(path.Dir(name))
	if err != nil {
		return err
	}
	in, err := descend(base, strings.Split(strings.TrimPrefix(directory, "/"), "/"))
	if err != nil {
		return fmt.Errorf("%s is not written: %w", name, err)
	}
	defer in.Close()
	if err := in.Remove(path.Base(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return make(in, path.Base(name))
}

// errVolume says that a directory is not the container's own.
var errVolume = errors.New("it would lie on a volume, and not in the container's own file system")

// descend opens a directory of the container's own file system, which it makes where it is missing.
func descend(base *os.Root, parts []string) (*os.Root, error) {
	own, err := mountOf(base)
	if err != nil {
		return nil, err
	}
	at, err := base.OpenRoot(".")
	for _, part := range parts {
		if err != nil {
			return nil, err
		}
		if part == "" {
			continue
		}
		above := at
		if err = above.Mkdir(part, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
			at, err = above.OpenRoot(part)
		}
		above.Close()
		if err == nil {
			var mount uint64
			if mount, err = mountOf(at); err == nil && mount != own {
				err = errVolume
			}
			if err != nil {
				at.Close()
			}
		}
	}
	return at, err
}

// mountOf is the mount that a directory lies on; before Linux 5.8, its file system.
func mountOf(directory *os.Root) (uint64, error) {
	f, err := directory.Open(".")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var info unix.Statx_t
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &info); err != nil {
		return 0, err
	}
	if info.Mask&unix.STATX_MNT_ID != 0 {
		return info.Mnt_id, nil
	}
	return unix.Mkdev(info.Dev_major, info.Dev_minor), nil
}

// Container finds the root of a container that is being made: the runtime gives a hook the container's state, which says
// where its configuration is.
func Container(state io.Reader) (string, error) {
	var says struct {
		Bundle string `json:"bundle"`
	}
	if err := json.NewDecoder(io.LimitReader(state, maxSpec)).Decode(&says); err != nil {
		return "", fmt.Errorf("the container's state: %w", err)
	}
	if !path.IsAbs(says.Bundle) {
		return "", errors.New("the container's state names no bundle")
	}
	text, err := (&machine.Machine{}).ReadFile(says.Bundle + "/config.json")
	if err != nil {
		return "", err
	}
	var config struct {
		Root struct {
			Path string `json:"path"`
		} `json:"root"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return "", fmt.Errorf("the container's configuration: %w", err)
	}
	switch root := config.Root.Path; {
	case root == "" || path.Clean(root) == "/":
		return "", errors.New("the container has no root of its own")
	case path.IsAbs(root):
		return root, nil
	default:
		return path.Join(says.Bundle, root), nil
	}
}
