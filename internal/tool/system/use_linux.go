package system

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
)

// Use puts a loader, Vkloader or Distribution, in force for every architecture where both can be, and returns the state
// afterwards. Distribution also replaces a missing or damaged library of vkloader. Each link is exchanged in one step: at every moment programs find one loader or the other, and running
// programs keep theirs. The error names the part that is not as requested.
func Use(m *machine.Machine, whose string) (*Status, error) {
	before := StatusOf(m)
	for _, a := range before.Architectures {
		if a.broken && whose == Vkloader {
			return before, exit.Problem("%s: %s", a.Title(), a.Change)
		}
	}
	switched := map[string]bool{}
	for i := range before.Architectures {
		a := &before.Architectures[i]
		if a.Vkloader == nil && !a.broken {
			continue
		}
		if err := a.use(m, whose); err != nil {
			return before, err
		}
		switched[a.Title()] = true
	}
	if len(switched) == 0 {
		text := "vkloader is not installed next to the distribution's loader"
		for _, a := range before.Architectures {
			text += fmt.Sprintf("\n%s: %s", a.Title(), a.Change)
		}
		return before, exit.Problem("%s", text)
	}
	after := StatusOf(m)
	for _, a := range after.Architectures {
		if switched[a.Title()] && a.InForce != whose {
			return after, exit.Problem("%s: programs get %s anyway: %s", a.Title(), a.Found[0].Path, a.Change)
		}
	}
	return after, nil
}

// Title names the architecture to people.
func (a *Architecture) Title() string { return fmt.Sprintf("%s, %d bits", a.Name, a.WordSize) }

// use exchanges the links of one directory.
func (a *Architecture) use(m *machine.Machine, whose string) error {
	link := a.Directory + "/" + loaders.Name
	if whose == Distribution && a.Distribution == nil {
		return exit.Unable("%s: there is no loader of the distribution in %s", a.Title(), a.Directory)
	}
	place, err := m.PlaceOf(a.Directory+"/"+Newest+".none", false)
	if err != nil {
		return exit.Unable("%w", err)
	}
	defer place.Close()
	if err = place.Lock(); err != nil {
		return exit.Unable("%w", err)
	}
	// Looked at where it is changed, and when no other run of the tool changes it.
	if is, err := place.IsLink(loaders.Name); err == nil && !is {
		return exit.Unable("%s is a file, and not a link as ldconfig makes it: it stays", link)
	}
	if a.made {
		err = a.useMade(place, whose)
	} else if whose == Vkloader {
		if err = place.Link(Newest, Own); err == nil {
			err = place.Link(loaders.Name, Newest)
		}
	} else {
		if err = place.Link(loaders.Name, path.Base(a.Distribution.File)); err == nil {
			err = place.Unlink(Newest)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return exit.Unable("changing %s needs root: %w", link, err)
	}
	if err != nil {
		return exit.Unable("%w", err)
	}
	return nil
}

// useMade exchanges the links where "make install" put vkloader's loader among the distribution's libraries: ldconfig chooses
// the link that counts as newest.
func (a *Architecture) useMade(place *machine.Destination, whose string) error {
	newest, other, file := Newest, NewestTheirs, a.Vkloader.File
	if whose == Distribution {
		newest, other, file = NewestTheirs, Newest, a.Distribution.File
	}
	target, err := filepath.Rel(a.Directory, file)
	if err != nil {
		return err
	}
	if err = place.Link(newest, target); err == nil {
		err = place.Link(loaders.Name, newest)
	}
	if err == nil {
		err = place.Unlink(other)
	}
	return err
}
