// Package settingsplace knows which settings files loaders try, in order, and by which mark the tool knows its own. It
// reads such a file no further, and writes nothing.
package settingsplace
