package settingsfile

import (
	"time"

	"vkloader/internal/tool/exit"
)

// Place chooses the settings file for a change for this user, and refuses another program's.
func (p *Found) Place() (string, error) { return p.PlaceFor(false) }

// PlaceFor does so for this user, or for all users.
func (p *Found) PlaceFor(system bool) (string, error) {
	place, err := (&Change{System: system}).place(p)
	if err != nil {
		return "", err
	}
	if f := p.InForce(); f != nil && f.Path == place && !f.Ours {
		return "", NotOurs(f)
	}
	return place, nil
}

// put writes a content in place of a file of ours, or of none; nothing is left of the file when the content says nothing.
func put(p *Found, place string, file *File, content map[string]any) error {
	var err error
	switch {
	case len(Objects(content)) == 0 && len(rulesOf(content)) == 0:
		if file != nil {
			_, err = Remove(&p.Machine, place)
		}
	default:
		if err := judge(content, place); err != nil {
			return err
		}
		expires := time.Time{}
		if file != nil {
			expires = file.Expires
		}
		err = Write(&p.Machine, place, content, expires, false)
	}
	if err != nil {
		return exit.Unable("settings file: %w", err)
	}
	return nil
}
