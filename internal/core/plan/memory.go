package plan

import (
	"vkloader/internal/core/document"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// Memory is what one call of the program's keeps from one question to the next: the parse of files, whose contents do
// not change within a call; and what earlier calls have left it.
type Memory struct {
	files      map[memoryKey]*parsed
	scratch    document.Document // of the file that is being read
	turn       uint32            // counts the layer lists
	settings   [2]readSettings   // what settings files said: the one that is there, and the one that is remembered
	before     *before
	begun      bool      // the decisive variables are known
	places     [3]places // by search.Kind
	settingsAt place     // of the settings file
	Remembered File      // the settings file that the global functions fall back on (SET-15)
}

// places are where the manifests of a kind may be, and those that are there.
type places struct {
	search.Locations
	found   []search.Found
	missing []search.Location
	known   bool // all of that
}

// place is the path of a file that was looked for; "" when there is none.
type place struct {
	path  string
	known bool
}

// before is what the first question of a call has found, for the one that is asked when drivers have been opened.
type before struct {
	kind            Kind // of the second question
	layers          []*manifest.Layer
	active          []Active
	activation, old []Step // see instance
	skipped         int    // portability drivers
	enabled         []bool // layers whose extensions count; see extensions
	exclusive       bool   // the settings file leaves nothing to the search
}

// File is a file's path and text.
type File struct {
	Path, Content string
	Set           bool // false: no file
}

type memoryKey struct {
	path string
	kind search.Kind
}

// parsed is what a file's text said.
type parsed struct {
	fault  *document.Fault
	driver *manifest.Driver
	layers *manifest.LayerFile
	given  []uint32       // for each layer, the last turn that it was given out in
	names  map[string]int // the first layer of each name, once one is looked for
	said   uint32         // the last turn that its lines were said in
}

// readSettings is what a settings file said.
type readSettings struct {
	path, content string
	known         bool
	fault         *document.Fault
	set           *settings.Settings
	outcome       settings.Outcome
	lines         []manifest.Line
}
