package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/trust"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// inside returns the program that a launcher script or the launcher in a directory starts. For an ordinary program it
// returns the given one, for an AppImage an error. The variables of the launcher become those of the examined program.
func (s *invocation) inside(app string) (string, error) {
	m, err := s.machine()
	if err != nil || app == "" { // without a program: the empty path is the machine's root
		return app, err
	}
	path := app
	if _, err := m.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if path, err = m.FindProgram(app); err != nil {
			return app, nil // the caller's own message says so
		}
	}
	if !filepath.IsAbs(path) && !m.Foreign() {
		if path, err = filepath.Abs(path); err != nil {
			return app, nil
		}
	}
	if image := binary.ReadImage(&m, path); image != nil {
		return "", imageError(path, image)
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
		fmt.Fprintf(s.messages(), "vkloader: %s sets %s\n", term.OneLine(launcher),
			term.OneLine(strings.Join(names, ", ")))
		return l.Program, nil
	}
	s.bundle.Launcher = launcher
	what := l.Program
	if l.Paths != "" {
		paths := l.Paths
		if value, set := m.Lookup(libraryPath); set && value != "" {
			paths += ":" + value
		}
		s.Env = append(s.Env, libraryPath+"="+paths)
		names = append(names, libraryPath)
	}
	if len(names) > 0 {
		what += ", with the launcher's " + strings.Join(names, ", ")
	}
	fmt.Fprintf(s.messages(), "vkloader: %s starts %s: examining %[2]s\n", term.OneLine(launcher), term.OneLine(what))
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

// imageError returns the error for an AppImage, with the line that unpacks it.
func imageError(file string, image *binary.Image) error {
	name := term.OneLine(filepath.Base(file))
	if image.Type == 1 {
		return exit.Unable(
			"%s is an AppImage of the first kind, an ISO 9660 image, which is not read: mount it, and name the AppRun in it", name)
	}
	return exit.Unable(
		"%s is an AppImage. Unpack it, and name the directory unpacked instead: unsquashfs -o %d -d unpacked %s (package squashfs-tools; this starts nothing of the image)",
		name, image.Offset, shell.Quoted(file))
}
