package settings

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
)

// FileSet holds the settings files of a machine.
type FileSet struct {
	Machine machine.Machine
	Source  *machine.Source
	Places  []string
	Files   []*File // the existing files, in the order of the places; the first one counts

	Plan func(edit.Edit) // if not nil, receives the edits of changes, which write nothing
}

// Rehearse returns the edits that a change would make.
func (p *FileSet) Rehearse(change func(p *FileSet) error) (edits []edit.Edit, err error) {
	dry := *p
	dry.Plan = func(e edit.Edit) { edits = append(edits, e) }
	return edits, change(&dry)
}

// Look finds the settings files of a machine.
func Look(source *machine.Source) (*FileSet, error) {
	p := &FileSet{Machine: source.Machine, Source: source, Places: explain.SettingsPlaces(source)}
	return p, p.Again()
}

// Again reads the files again, because another run of the tool may have changed them.
// A file in a directory that this user may not search does not exist for the loader either (SET-7).
func (p *FileSet) Again() error {
	p.Files = nil
	for _, place := range p.Places {
		f, err := Read(&p.Machine, place)
		if err == nil {
			p.Files = append(p.Files, f)
		} else if p.Machine.Exists(place) {
			return exit.As(exit.NotLooked, err)
		}
	}
	return nil
}

// InForce returns the file that programs use; nil without one.
func (p *FileSet) InForce() *File {
	if len(p.Files) == 0 {
		return nil
	}
	return p.Files[0]
}

// Expiry is an expired file of the tool and the result of its removal.
type Expiry struct {
	File     *File
	Restored bool  // another program's file is back in its place
	Err      error // the error of the removal: programs still use the file
}

// Expire removes the tool's expired settings files.
func Expire(m *machine.Machine) ([]Expiry, error) {
	p, err := Look(&machine.Source{Machine: *m, AsUser: true})
	if err != nil {
		return nil, err
	}
	var over []Expiry
	for _, f := range p.Files {
		if f.Expired(time.Now()) {
			e := Expiry{File: f}
			e.Restored, e.Err = p.removeIf(f.Path, func(now *File) bool { return now.Expired(time.Now()) })
			over = append(over, e)
		}
	}
	return over, nil
}

// removeIf removes a file if still returns true for its current content.
func (p *FileSet) removeIf(place string, still func(*File) bool) (restored bool, err error) {
	unlock, err := p.Lock(place)
	if err != nil {
		return false, err
	}
	defer unlock()
	f, err := Read(&p.Machine, place)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !still(f) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return p.Remove(place)
}

// NotOurs returns the error for a change to another program's file.
func NotOurs(f *File) error {
	return exit.Problem("%s is another program's: look at it with \"vkloader settings show\", and use --force to go on",
		f.Path)
}

// RealApp returns a path for app_keys: absolute and with symbolic links resolved, as the loader sees its own program. A
// name that is no file is looked up in PATH; that of a removed program stays, and also "".
func RealApp(m *machine.Machine, app string) (string, error) {
	if app == "" {
		return "", nil
	}
	if found, err := m.FindProgram(app); err == nil && !m.Exists(app) {
		app = found
	}
	real, err := m.Real(app)
	return real, exit.As(exit.NotLooked, err)
}

// RealApps is RealApp for several programs.
func RealApps(m *machine.Machine, apps []string) (list []string, err error) {
	for _, app := range apps {
		real, err := RealApp(m, app)
		if err != nil {
			return nil, err
		}
		list = append(list, real)
	}
	return list, nil
}

// Ignored returns a message for each program whose loader ignores the settings file or some of the fields. The program
// "", and an empty list, stand for every program. Programs with an unknown loader give no message.
func (p *FileSet) Ignored(programs, fields []string) (list []string) {
	if len(programs) == 0 {
		programs = []string{""}
	}
	for _, program := range programs {
		source := *p.Source
		if source.Program = program; program != "" {
			if info, err := p.Machine.Stat(program); err != nil || info.IsDir() {
				continue
			}
			if source.Class == 0 {
				source.Class = binary.ProgramOf(&p.Machine, program).Class
			}
			source.Elevated = process.RightsOf(&p.Machine, program) != ""
		}
		l := loaders.For(&source, loaders.Linker(&source), nil)
		if l == nil || len(l.Ignored(append([]string{loaders.SettingsFile}, fields...))) == 0 {
			continue
		}
		if said := l.NotInForce(program); !slices.Contains(list, said) {
			list = append(list, said)
		}
	}
	return list
}

// Clearing is a removal of settings: the options of "settings clear".
type Clearing struct {
	Apps  []string `option:"app"`   // only the settings for these programs; empty: the file
	Force bool     `option:"force"` // also another program's file
}

// Clear removes the settings file in force or its settings for some programs, and gives c their real paths. It returns
// the zero value if there is no file.
func (p *FileSet) Clear(c *Clearing) (done Done, err error) {
	f := p.InForce()
	switch {
	case f == nil:
		return Done{}, nil
	case !f.Ours && !c.Force:
		return Done{}, NotOurs(f)
	case len(c.Apps) > 0 && !f.Ours:
		return Done{}, errors.New("--app works on a file of this tool only")
	case len(c.Apps) > 0:
		if c.Apps, err = RealApps(&p.Machine, c.Apps); err != nil {
			return Done{}, err
		}
		return p.editFile(f.Path, func(content map[string]any) (bool, error) {
			if !Drop(content, c.Apps) {
				return false, exit.Problem("%s has no settings for exactly %s", f.Path, strings.Join(c.Apps, ", "))
			}
			return true, nil
		})
	}
	done.Removed = f.Path
	if done.Restored, err = p.removeIf(f.Path,
		func(now *File) bool { return now.Ours == f.Ours }); err != nil {
		return Done{}, exit.As(exit.NotLooked, err)
	}
	return done, nil
}

// ClearAll removes every file that the tool wrote: settings files, configurations, and layer settings files. It returns
// the paths.
func (p *FileSet) ClearAll() (removed []string, err error) {
	remove := func(path string, how func() error) {
		if err == nil {
			err = exit.As(exit.NotLooked, how())
		}
		if err == nil {
			removed = append(removed, path)
		}
	}
	for _, f := range p.Files {
		if f.Ours {
			remove(f.Path, func() error {
				_, err := p.removeIf(f.Path, func(now *File) bool { return now.Ours })
				return err
			})
		}
	}
	list, unlisted := p.Configurations()
	for _, c := range list {
		remove(c.File, func() error { return p.do(edit.Edit{Path: c.File, Remove: true}) })
	}
	for _, place := range LayerPlaces(&p.Machine, ThisDirectory(&p.Machine)) {
		if f, err := openLayerFile(&p.Machine, place); err == nil && len(f.lines) > 0 && f.lines[0] == writtenHere {
			remove(f.File, func() error { return p.do(edit.Edit{Path: f.File, Remove: true}) })
		}
	}
	if err == nil {
		err = unlisted
	}
	return removed, err
}

// editFile locks a file of the tool and passes its content to change. If change returns true, editFile writes the
// content, or removes the file if no settings remain.
func (p *FileSet) editFile(place string, change func(map[string]any) (bool, error)) (done Done, err error) {
	unlock, err := p.Lock(place)
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	defer unlock()
	f, err := Read(&p.Machine, place)
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	content, err := f.Decode()
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	changed, err := change(content)
	if err != nil || !changed {
		return done, err
	}
	if len(Objects(content)) == 0 {
		done.Removed = place
		done.Restored, err = p.Remove(place)
	} else {
		done.Wrote, done.Expires = place, Time(f.Expires)
		err = p.Write(place, content, f.Expires, false)
	}
	return done, exit.As(exit.NotLooked, err)
}
