package settingsfile

import (
	"slices"
	"strings"
)

// Dependence says by the values of other settings when a setting has an effect.
type Dependence struct {
	Mode string   `json:"mode"` // ALL, ANY or NONE of the following
	On   []Wanted `json:"on"`
}

// Holds tells whether the setting has an effect; value gives what another setting is.
func (d *Dependence) Holds(value func(key string) string) bool {
	if d == nil || len(d.On) == 0 {
		return true
	}
	n := 0
	for _, on := range d.On {
		if hasWord(value(on.Key), on.Value) {
			n++
		}
	}
	switch d.Mode {
	case "ANY":
		return n > 0
	case "NONE":
		return n == 0
	}
	return n == len(d.On)
}

// hasWord tells whether a value is the wanted one; of flags, whether all that are wanted are in it.
func hasWord(value, wanted string) bool {
	words := strings.Split(value, ",")
	for _, word := range strings.Split(wanted, ",") {
		if !slices.Contains(words, word) {
			return false
		}
	}
	return true
}
