package plan

import (
	"vkloader/internal/core/document"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
)

// Memory is the state that is kept between the questions of one call: parsed files, whose contents do not change within
// a call, and the settings file remembered by earlier calls.
type Memory struct {
	files      map[memoryKey]*parsedFile
	scratch    document.Document // for the file being read
	turn       uint32            // the number of the layer list
	settings   [2]readSettings   // the parsed settings files: the present one, and the remembered one
	before     *firstAnswer
	begun      bool      // the decisive variables are known
	places     [3]places // by search.Kind
	settingsAt place     // of the settings file
	Remembered File      // the settings file that the global functions fall back on (SET-15)
}

// places are the locations of a kind's manifests, and the manifests found there.
type places struct {
	search.Locations
	found   []search.ManifestFile
	missing []search.Location
	known   bool // all facts for these are known
}

// place is the path of the settings file; "" if there is none.
type place struct {
	path  string
	known bool
}

// firstAnswer holds the results of a call's first question, for the second one, after the drivers are opened.
type firstAnswer struct {
	kind            Kind // of the question after the drivers are opened
	layers          []*manifest.Layer
	active          []Active
	activation, old []Step // lines about activation and about old layers; choose takes them and create adds them
	skipped         int    // number of portability drivers that were skipped
	enabled         []bool // for each layer: its extensions are listed
	exclusive       bool   // the settings file replaces the search
}

// File is a file's path and text.
type File struct {
	Path, Content string
	Set           bool // false: no file
}

// memoryKey identifies a parsed file.
type memoryKey struct {
	path string
	kind search.Kind
}

// parsedFile is a parsedFile file.
type parsedFile struct {
	fault  *document.SyntaxError
	driver *manifest.Driver
	layers *manifest.LayerFile
	given  []uint32       // for each layer, the last turn in which it was given
	names  map[string]int // index of the first layer of each name; built on demand
	said   uint32         // the last turn in which its lines were logged
}

// readSettings is a parsed settings file.
type readSettings struct {
	path, content string
	known         bool
	fault         *document.SyntaxError
	set           *settings.Settings
	outcome       settings.ReadResult
	lines         []manifest.Line
}
