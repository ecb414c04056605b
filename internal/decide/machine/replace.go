package machine

import "io/fs"

// Replace replaces a file in one step. It creates missing directories if create is set.
func (m *Machine) Replace(file string, text []byte, mode fs.FileMode, create bool) error {
	at, err := m.PlaceOf(file, create)
	if err != nil {
		return err
	}
	defer at.Close()
	return at.Replace(text, mode)
}

// Remove removes a file.
func (m *Machine) Remove(file string) error {
	at, err := m.PlaceOf(file, false)
	if err != nil {
		return err
	}
	defer at.Close()
	return at.Remove()
}
