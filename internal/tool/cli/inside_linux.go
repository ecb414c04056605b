package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// unpackTime is the time limit for unpacking an AppImage.
const unpackTime = 30 * time.Second

// unpacked lists the parts of an AppImage that show what its program loads.
var unpacked = []string{"AppRun*", "*.desktop", "*.so*", "bin", "lib*/*.so*", "lib*/*/*.so*", "usr/bin",
	"usr/lib*/*.so*", "usr/lib*/*/*.so*", "usr/lib*/*/*/*.so*", "shared"}

// inside returns the program that a bundle starts, for an AppImage, a launcher script, or a directory. For an ordinary
// program it returns the given one. The variables of the launcher become those of the examined program.
func (s *invocation) inside(app string) (string, error) {
	m, err := s.machine()
	if err != nil || app == "" { // without a program: the empty path is the machine's root
		return app, err
	}
	path, err := findProgram(&m, app)
	if err != nil {
		return app, nil // the caller's own message says so
	}
	if !filepath.IsAbs(path) && !m.Foreign() {
		if path, err = filepath.Abs(path); err != nil {
			return app, nil
		}
	}
	if image := binary.ReadImage(&m, path); image != nil {
		return s.insideImage(&m, path, image)
	}
	l := binary.Launch(&m, path)
	if l == nil {
		return app, nil
	}
	return s.launchedProgram(&m, path, l)
}

// launchedProgram returns a launcher's program, and makes its library path that of the examined program.
func (s *invocation) launchedProgram(m *machine.Machine, launcher string, l *binary.Launched) (string, error) {
	if err := trustError(m, append(l.Through, l.Program)); err != nil {
		return "", err
	}
	s.bundle.Variables = l.Variables
	var names []string
	for _, a := range l.Variables {
		names = append(names, a.Name)
		s.Env = append(s.Env, a.Name+term.Either(a.Unset, "", "="+a.Value))
	}
	if len(l.Through) == 0 {
		s.say("%s sets %s", launcher, strings.Join(names, ", "))
		return l.Program, nil
	}
	s.bundle.Launcher = launcher
	what := s.bundle.Shown(l.Program)
	if l.Paths != "" {
		paths := l.Paths
		if value, set := m.Lookup(libraryPath); set && value != "" {
			paths += ":" + value
		}
		s.Env = append(s.Env, libraryPath+"="+paths)
		names = append(names, libraryPath)
	}
	own := term.Enclosed(" with its own ", strings.Join(names, ", "), "")
	s.say("%s starts %s%s; this report is about %[2]s", launcher, what, own)
	return l.Program, nil
}

// trustError returns an error for a process of root if another user can change one of the files.
func trustError(m *machine.Machine, files []string) error {
	if !trust.Privileged() || m.Foreign() {
		return nil
	}
	for _, file := range files {
		if err := trust.Path(file); err != nil {
			return exit.As(exit.NotLooked, trust.Refused("looked into", err))
		}
	}
	return nil
}

// removeAfter starts a shell that removes a directory at the end of its input, and so of this process.
func removeAfter(directory string) error {
	shell := spawn.New(context.Background(), spawn.Helper, "/bin/sh", "-c", `read -r end; exec rm -rf -- "$1"`, "sh",
		directory)
	shell.Env = []string{"PATH=/usr/bin:/bin:/run/current-system/sw/bin"} // NixOS has rm only in the last one
	if _, err := shell.StdinPipe(); err != nil {
		return err
	}
	return shell.Start()
}

// insideImage unpacks the libraries and programs of an AppImage into a temporary directory, with unsquashfs, and
// returns its program. It does not start the AppImage, whose own code can unpack it as well.
func (s *invocation) insideImage(m *machine.Machine, file string, image *binary.Image) (string, error) {
	if err := trustError(m, []string{file}); err != nil {
		return "", err
	}
	name := term.OneLine(filepath.Base(file))
	tool, err := exec.LookPath("unsquashfs")
	switch {
	case image.Type == 1:
		return "", exit.Unable(
			"%s is an AppImage of the first kind, an ISO 9660 image, which is not read: mount it, and name the AppRun in it", name)
	case m.Foreign():
		return "", exit.Unable("%s is an AppImage: with --root, unpack it there, and name the AppRun in it", name)
	case err != nil:
		return "", exit.Unable(
			"%s is an AppImage. To see what its program loads, install unsquashfs (package squashfs-tools). Or unpack it, which starts "+
				"the AppImage's own code: %s --appimage-extract, and name squashfs-root/AppRun", name,
			shell.Quoted(file))
	}
	directory, err := machine.TemporaryDirectory("", "vkloader-")
	if err != nil {
		return "", exit.Unable("no temporary directory for %s: %w", name, err)
	}
	s.temporary = append(s.temporary, directory)
	if err := removeAfter(directory); err != nil {
		return "", exit.Unable("no process to remove the temporary directory for %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), unpackTime)
	defer cancel()
	to := filepath.Join(directory, "image")
	cmd := spawn.New(ctx, spawn.Helper, tool,
		append([]string{"-o", fmt.Sprint(image.Offset), "-d", to, "-n", "-no-xattrs", file}, unpacked...)...)
	cmd.Env = []string{"LC_ALL=C"} // it starts no program
	failed := cmd.Run()
	if trust.Refusal("run", failed) != "" {
		return "", examineError(failed)
	}
	real, err := filepath.EvalSymlinks(to)
	if err != nil {
		return "", exit.Unable("%s cannot be unpacked with unsquashfs: %w", name, errors.Join(failed, ctx.Err()))
	}
	s.bundle = doctor.StartFile{Launcher: file, Unpacked: real}
	l := binary.Launch(m, real)
	if l == nil {
		return "", exit.Unable("the program that the AppRun of %s starts is unknown: its files do not name it", name)
	}
	return s.launchedProgram(m, file, l)
}
