package settings

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
)

// LayerList returns the file that names the layer settings files beside programs, of --directory and --app, for "clear --everything": one quoted
// path a line. "": the user has no directory for it.
func LayerList(m *machine.Machine) string {
	configurations, err := configurationDirectory(m)
	if err != nil {
		return ""
	}
	return path.Join(path.Dir(configurations), "layer-files")
}

// listedPlaces returns the places in the list of layer settings files.
func listedPlaces(m *machine.Machine) (places []LayerPlace) {
	text, _ := m.ReadFile(LayerList(m)) // a list that is missing or unreadable names none
	for line := range strings.Lines(string(text)) {
		if file, err := strconv.Unquote(strings.TrimSpace(line)); err == nil && path.IsAbs(file) && path.Base(file) == LayerFileName {
			places = append(places, LayerPlace{file, OptionDirectory})
		}
	}
	return places
}

// listPlace adds a layer settings file to the list. A user without a directory has no list.
func listPlace(m *machine.Machine, file LayerPlace) error {
	list := LayerList(m)
	if list == "" || slices.Contains(listedPlaces(m), file) {
		return nil
	}
	at, err := m.PlaceOf(list, true)
	if err != nil {
		return err
	}
	defer at.Close()
	if err := at.Lock(); err != nil {
		return err
	}
	text, _, err := at.Read("")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return at.Replace("", append(text, strconv.Quote(file.File)+"\n"...), 0o600)
}
