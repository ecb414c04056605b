package machine

import (
	"errors"
	"os"
	"strings"

	"vkloader/internal/core/facts"
)

// Source reads a machine the way the spine does.
type Source struct {
	Machine
	Elevated bool                 // secure variables count as unset
	AsUser   bool                 // of Windows: the program has no more rights than its user, whatever the tool has
	Class    int                  // word size of the program, 32 or 64; 0: not known, taken for OwnClass
	Program  string               // the program to decide for; "": this one, or on a foreign machine one that nothing names
	Served   func() facts.Service // asks the driver service; nil: there is none
	Loader   Loader               // what reads the facts; nil: this project's loader, which reads all of them
}

// Loader is another loader, which does not read everything that this project's does.
type Loader interface {
	Reads(variable string) bool                   // false: the variable counts as unset
	Settings(content string) (as string, ok bool) // the settings file as it understands it; false: it reads none
	Obeys(variable string) bool                   // it is known that it reads the variable: a fix may rely on it
}

// settingsName is the name that settings files have.
const settingsName = "vk_loader_settings.json"

// unread tells whether the loader reads no settings file, and the path is of one.
func (s *Source) unread(name string) bool {
	if s.Loader == nil || !strings.HasSuffix(name, settingsName) {
		return false
	}
	_, reads := s.Loader.Settings("")
	return !reads
}

// Directory implements facts.Source. The names come unsorted, in the order the system gives them (PATH-18); on a
// foreign machine by name, because the order that its own file system would give is not known here.
func (s *Source) Directory(path string) facts.Directory {
	path = s.Path(path)
	entries, err := s.list(path)
	if err != nil && len(entries) == 0 {
		return facts.Directory{}
	}
	if s.Foreign() {
		ByName(entries)
	}
	f := facts.Directory{Listed: true}
	for _, e := range entries {
		n := e.Name()
		if s.hidden(path + string(os.PathSeparator) + n) {
			continue
		}
		if len(n) >= 5 && n[len(n)-5:] == ".json" {
			f.Names = append(f.Names, n)
		}
	}
	return f
}

// File implements facts.Source.
func (s *Source) File(path string) facts.File {
	if s.unread(path) {
		return facts.File{Status: facts.FileNotOpened}
	}
	f := s.file(path)
	if s.Loader != nil && strings.HasSuffix(path, settingsName) {
		f.Content, _ = s.Loader.Settings(f.Content)
	}
	return f
}

func (s *Source) file(path string) facts.File {
	f, err := s.Open(s.Path(path))
	if errors.Is(err, ErrNotRegular) {
		return facts.File{Status: facts.FileNotRegular}
	}
	if err != nil {
		return facts.File{Status: facts.FileNotOpened}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return facts.File{Status: facts.FileNoSize}
	}
	if !info.Mode().IsRegular() {
		return facts.File{Status: facts.FileNotRead}
	}
	content, err := readAll(f)
	if errors.Is(err, ErrTooLarge) {
		return facts.File{Status: facts.FileTooLarge}
	}
	if err != nil {
		return facts.File{Status: facts.FileNotRead}
	}
	return facts.File{Content: s.forClass(string(content))}
}

// Exe implements facts.Source.
func (s *Source) Exe() facts.Exe {
	if s.Program != "" {
		return facts.Exe{Path: s.Program, Known: len(s.Program) < 1024}
	}
	if s.Foreign() {
		return facts.Exe{Known: true}
	}
	path, err := ownProgram()
	return facts.Exe{Path: path, Known: err == nil && len(path) < 1024}
}
