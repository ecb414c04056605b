package cdi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/roots"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
)

// mostEntries is the largest number of entries in a covered directory of the image: each entry becomes a mount.
const mostEntries = 512

// errMany is the reason for not mounting over a large directory.
var errMany = fmt.Errorf("it has more than %d entries", mostEntries)

// container is a container that the runtime is creating. Its file system is below base. Every path is resolved with
// base as "/", so that no link of the image leads out.
type container struct {
	machine *machine.Machine
	base    *os.Root
	mounts  bool // mounts over its directories are allowed
}

// Into applies the arrangement to a container whose file system is below root. With mounts, this process is in the
// container's mount namespace, and each directory with new items gets a mount over it, so that an image made from the
// container has no file of the host. If the runtime allows no mounts, Into writes to the directory itself. It never
// writes to a volume, because volumes belong to the host.
func (a *Arrangement) Into(root string, mounts bool) error {
	base, err := os.OpenRoot(root + "/.")
	if err != nil {
		return err
	}
	defer base.Close()
	c := &container{&machine.Machine{Root: root}, base, mounts}
	var wrong []error
	for _, i := range a.Own {
		wrong = append(wrong, c.own(i))
	}
	groups := map[string][]FileToWrite{}
	hidden := map[string][]string{}
	var directories, failed []string
	group := func(name string) string {
		directory, err := c.machine.Real(path.Dir(name))
		if err != nil {
			if !slices.Contains(failed, path.Dir(name)) {
				failed = append(failed, path.Dir(name))
				wrong = append(wrong, fmt.Errorf("%s: %w", path.Dir(name), drivers.Cause(err)))
			}
			return ""
		}
		if !slices.Contains(directories, directory) {
			directories = append(directories, directory)
		}
		return directory
	}
	for _, i := range a.Put {
		if directory := group(i.Path); directory != "" {
			groups[directory] = append(groups[directory], i)
		}
	}
	for _, name := range a.Hide {
		if directory := group(name); directory != "" {
			hidden[directory] = append(hidden[directory], path.Base(name))
		}
	}
	// Deeper directories come first, because a mount over a directory hides the mounts below it.
	slices.SortFunc(directories, func(a, b string) int { return len(b) - len(a) })
	for _, directory := range directories {
		wrong = append(wrong, c.fill(directory, groups[directory], hidden[directory])...)
	}
	for _, i := range a.Nodes {
		wrong = append(wrong, c.node(i))
	}
	return errors.Join(wrong...)
}

// write creates a file or a link in a directory, and replaces an entry of the same name.
func write(in *os.Root, i FileToWrite) error {
	name := path.Base(i.Path)
	if err := in.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if i.Target != "" {
		return roots.Symlink(in, i.Target, name)
	}
	f, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(i.Text)
	return errors.Join(err, f.Chmod(0o644), f.Close())
}

// directory opens a directory below Directory, and creates it if it is missing. The runtime has mounted a file system
// there for this container alone.
func (c *container) directory(name string) (*os.Root, error) {
	real, err := c.machine.Real(Directory)
	if err != nil {
		return nil, err
	}
	at, err := enter(c.base, strings.TrimPrefix(real, "/"), Directory)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	below := path.Join(".", strings.TrimPrefix(name, Directory))
	if err := roots.MkdirAll(at, below, 0o755); err != nil {
		return nil, fmt.Errorf("%s: %w", name, drivers.Cause(err))
	}
	return enter(at, below, name)
}

// enter opens a directory below another one. The "." at the end of the name makes the kernel refuse a FIFO and a
// device, which an open could wait for or wake. Errors name the path.
func enter(at *os.Root, name, path string) (*os.Root, error) {
	in, err := at.OpenRoot(name + "/.")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, drivers.Cause(err))
	}
	return in, nil
}

// own writes an item below Directory.
func (c *container) own(i FileToWrite) error {
	in, err := c.directory(path.Dir(i.Path))
	if err != nil {
		return err
	}
	defer in.Close()
	return write(in, i)
}

// fill adds items to a directory of the image, and hides some of its entries.
func (c *container) fill(directory string, items []FileToWrite, hide []string) (wrong []error) {
	in, err := descend(c.base, strings.Split(strings.Trim(directory, "/"), "/"))
	if err != nil {
		return []error{fmt.Errorf("%s is not written: %w", directory, err)}
	}
	defer in.Close()
	if c.mounts {
		if err = c.cover(in, directory, items, hide); err == nil {
			return nil
		}
	}
	if len(hide) > 0 {
		wrong = append(wrong, fmt.Errorf("%s: the image's manifests are not hidden: %s: %w", directory,
			strings.Join(hide, ", "), cmp.Or(err, errNoMounts)))
	}
	for _, i := range items {
		if err := write(in, i); err != nil {
			wrong = append(wrong, fmt.Errorf("%s is not written: %w", i.Path, err))
		}
	}
	return wrong
}

// errNoMounts is the reason why nothing can be hidden.
var errNoMounts = errors.New("no directory is mounted over")

// cover mounts a directory below Directory over one of the image. The new directory has the same entries, except the
// hidden ones, and the items. Its entries are mounts, so that programs write to the image's own files.
func (c *container) cover(in *os.Root, directory string, items []FileToWrite, hide []string) error {
	made, err := c.directory(coverPlace + directory)
	if err != nil {
		return err
	}
	defer made.Close()
	from, err := in.Open(".")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := made.Open(".")
	if err != nil {
		return err
	}
	defer to.Close()
	entries, err := from.ReadDir(mostEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(entries) > mostEntries {
		return errMany
	}
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(hide, name) ||
			slices.ContainsFunc(items, func(i FileToWrite) bool { return path.Base(i.Path) == name }) {
			continue
		}
		if err := same(from, to, made, in, e); err != nil {
			return fmt.Errorf("%s: %w", path.Join(directory, name), err)
		}
	}
	for _, i := range items {
		if err := write(made, i); err != nil {
			return err
		}
	}
	return bind(to, ".", from)
}

// same creates an entry like that of another directory.
func same(from, to *os.File, made, in *os.Root, e fs.DirEntry) error {
	name := e.Name()
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		target, err := roots.Readlink(in, name)
		if err != nil {
			return err
		}
		return roots.Symlink(made, target, name)
	case e.IsDir():
		if err := made.Mkdir(name, 0o755); err != nil {
			return err
		}
	default:
		f, err := made.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
		if err != nil {
			return err
		}
		f.Close()
	}
	fd, err := unix.Openat(int(to.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	at := os.NewFile(uintptr(fd), name)
	defer at.Close()
	return bind(from, name, at)
}

// bind mounts an entry of a directory at a place, with the mounts below the entry.
func bind(directory *os.File, name string, at *os.File) error {
	tree, err := unix.OpenTree(int(directory.Fd()), name, unix.OPEN_TREE_CLONE|unix.AT_RECURSIVE|
		unix.AT_SYMLINK_NOFOLLOW|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return &fs.PathError{Op: "open_tree", Path: name, Err: err}
	}
	defer unix.Close(tree)
	if err := unix.MoveMount(tree, "", int(at.Fd()), "", unix.MOVE_MOUNT_F_EMPTY_PATH|
		unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return &fs.PathError{Op: "move_mount", Path: name, Err: err}
	}
	return nil
}

// node makes a link in the container's /dev/dri/by-path, unless /dev or /dev/dri is the host's.
func (c *container) node(i FileToWrite) error {
	dev, err := c.machine.Stat("/dev")
	host, wrong := os.Stat("/dev")
	if err != nil || wrong != nil || os.SameFile(dev, host) {
		return errors.Join(err, wrong)
	}
	real, err := c.machine.Real("/dev/dri")
	if err != nil || real != "/dev/dri" {
		return err
	}
	in, err := enter(c.base, "dev/dri", "/dev/dri")
	if err != nil {
		return err
	}
	defer in.Close()
	above, err := enter(c.base, "dev", "/dev")
	if err != nil {
		return err
	}
	defer above.Close()
	own, err := mountOf(above)
	its, wrong := mountOf(in)
	if err != nil || wrong != nil || own != its {
		return errors.Join(err, wrong) // a volume belongs to another owner
	}
	if err := in.Mkdir(byPath, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("/dev/dri/%s: %w", byPath, drivers.Cause(err))
	}
	links, err := enter(in, byPath, "/dev/dri/"+byPath)
	if err != nil {
		return err
	}
	defer links.Close()
	return write(links, i)
}

// errVolume is the error for a directory on a volume.
var errVolume = errors.New("it would be on a volume, and not in the container's own file system")

// descend opens a directory of the container's own file system, and creates missing parts.
func descend(base *os.Root, parts []string) (*os.Root, error) {
	own, err := mountOf(base)
	if err != nil {
		return nil, err
	}
	at, err := enter(base, ".", "/")
	for i, part := range parts {
		if err != nil {
			return nil, err
		}
		if part == "" {
			continue
		}
		above, name := at, "/"+path.Join(parts[:i+1]...)
		if err = above.Mkdir(part, 0o755); err == nil || errors.Is(err, fs.ErrExist) {
			at, err = enter(above, part, name)
		} else {
			err = fmt.Errorf("%s: %w", name, drivers.Cause(err))
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

// mountOf returns the mount of a directory; before Linux 5.8, its file system.
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
