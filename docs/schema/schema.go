// Package schema is the published JSON Schemas of driver manifests, layer manifests and the loader settings file, as
// the tool carries them. The files beside this one are the published form.
package schema

import "embed"

// Files has driver.json, layer.json and settings.json.
//
//go:embed *.json
var Files embed.FS
