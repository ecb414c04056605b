package settings

import (
	"errors"
	"strings"

	"vkloader/internal/tool/exit"
)

// Clearing is a removal of settings: the options of "settings clear".
type Clearing struct {
	Apps  []string // only the settings for these programs; empty: the file
	Force bool     // also another program's file
}

// Clear removes the settings file in force or its settings for some programs, and gives c their real paths. It returns the zero value
// if there is no file.
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
		return p.dropPrograms(f, c.Apps)
	}
	done.Removed = f.Path
	if done.Restored, err = removeIf(&p.Machine, f.Path, func(now *File) bool { return now.Ours == f.Ours }); err != nil {
		return Done{}, exit.As(exit.NotLooked, err)
	}
	return done, nil
}

// dropPrograms removes the settings for some programs from a file, and removes the file if it is then empty.
func (p *FileSet) dropPrograms(f *File, apps []string) (done Done, err error) {
	unlock, err := Lock(&p.Machine, f.Path)
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	defer unlock()
	if f, err = Read(&p.Machine, f.Path); err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	content, err := f.Decode()
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	dropRules(content, apps)
	if !Drop(content, apps) {
		return done, exit.Problem("%s has no settings for exactly %s", f.Path, strings.Join(apps, ", "))
	}
	if len(content["settings_array"].([]any)) == 0 {
		done.Removed = f.Path
		done.Restored, err = Remove(&p.Machine, f.Path)
	} else {
		done.Wrote = f.Path
		done.Expires = Time(f.Expires)
		err = Write(&p.Machine, f.Path, content, f.Expires, false)
	}
	if err != nil {
		return done, exit.As(exit.NotLooked, err)
	}
	return done, nil
}
