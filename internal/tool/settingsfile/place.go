package settingsfile

// Place chooses the settings file that a change for this user is to be written into, and refuses another program's.
func (p *Found) Place() (string, error) {
	place, err := (&Change{}).place(p)
	if err != nil {
		return "", err
	}
	if f := p.InForce(); f != nil && f.Path == place && !f.Ours {
		return "", NotOurs(f)
	}
	return place, nil
}
